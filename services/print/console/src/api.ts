import { createApi, type RowPage } from "@frontdesk/ui";
import { queryOptions } from "@tanstack/react-query";
import type {
  About,
  DiscoveryState,
  JobDetail,
  JobRow,
  License,
  OriginBody,
  OriginRow,
  PairingRow,
  Preview,
  PreviewBody,
  PrinterRow,
  PrinterWritten,
  TemplateBody,
  TemplateRow,
  TemplateVersionRow,
  Tls,
  TrustReports,
} from "../../bridge/src/http/admin-schemas.ts";
import { pageKey } from "./page-key.ts";
import { words } from "./words.ts";

export type {
  About,
  JobDetail,
  JobRow,
  OriginBody,
  OriginRow,
  PairingRow,
  PreviewBody,
  PrinterRow,
  PrinterWritten,
  TemplateBody,
  TemplateRow,
  TemplateVersionRow,
  TrustReports,
};

export type Discovery = DiscoveryState;

type JobList = { items?: JobRow[]; next_cursor?: string | null; total?: number };

const api = createApi({ words, headers: pageKey.headers });
const at = (path: string) => `/api/v1/admin/${path}`;
const part = encodeURIComponent;
const get = <T>(path: string, signal?: AbortSignal) => api.json<T>("GET", at(path), signal ? { signal } : {});

/** What the bridge can be asked, each with the name it has in the cache. */
export const questions = {
  session: queryOptions({
    queryKey: ["session"],
    queryFn: async () => ((await get<{ signedIn: boolean }>("session")).signedIn ? "administrator" : null),
    staleTime: Number.POSITIVE_INFINITY,
  }),
  printers: queryOptions({
    queryKey: ["printers"],
    queryFn: async () => (await get<{ printers: PrinterRow[] }>("printers")).printers,
  }),
  discovery: queryOptions({
    queryKey: ["discovery"],
    queryFn: () => get<DiscoveryState>("discovery"),
    // What is found is told live; this is for when that line is down.
    refetchInterval: ({ state }) => (state.data?.state === "searching" ? 2_000 : false),
  }),
  jobs: queryOptions({
    queryKey: ["jobs"],
    queryFn: async () => (await get<{ jobs: JobRow[] }>("jobs")).jobs,
  }),
  /** A page of all jobs that are kept, newest first. */
  jobPage: async (
    search: { state: string; printer: string; q: string; cursor: string | null },
    signal: AbortSignal,
  ): Promise<RowPage<JobRow>> => {
    const asked = new URLSearchParams({ limit: "100" });
    for (const [name, value] of Object.entries(search)) if (value) asked.set(name, value);
    const { items = [], next_cursor = null, total } = await get<JobList>(`jobs?${asked}`, signal);
    return { items, next_cursor, ...(total === undefined ? {} : { total }) };
  },
  job: (id: string) =>
    queryOptions({
      queryKey: ["job", id],
      queryFn: async () => {
        const job = await get<JobDetail>(`jobs/${part(id)}`);
        return { ...job, pictures: job.pictures.map(pageKey.inAddress) };
      },
    }),
  jobPreview: (id: string) =>
    queryOptions({
      queryKey: ["job-preview", id],
      queryFn: async () => (await get<{ pictures: string[] }>(`jobs/${part(id)}/preview`)).pictures,
      staleTime: Number.POSITIVE_INFINITY,
    }),
  labels: (printer: string) =>
    queryOptions({
      queryKey: ["labels", printer],
      queryFn: async () => {
        const { labels } = await get<{ labels: string[] }>(`printers/${part(printer)}/labels`);
        return labels.map((name) => pageKey.inAddress(at(`printers/${part(printer)}/labels/${name}`)));
      },
    }),
  templates: queryOptions({
    queryKey: ["templates"],
    queryFn: async () => (await get<{ templates: TemplateRow[] }>("templates")).templates,
  }),
  templateVersions: (id: string) =>
    queryOptions({
      queryKey: ["templates", id, "versions"],
      queryFn: async () =>
        (await get<{ versions: TemplateVersionRow[] }>(`templates/${part(id)}/versions`)).versions,
    }),
  preview: (asked: PreviewBody) =>
    queryOptions({
      queryKey: ["preview", asked],
      queryFn: ({ signal }) => api.json<Preview>("POST", at("templates/preview"), { json: asked, signal }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
    }),
  origins: queryOptions({
    queryKey: ["origins"],
    queryFn: async () => (await get<{ origins: OriginRow[] }>("origins")).origins,
  }),
  pairings: queryOptions({
    queryKey: ["pairings"],
    queryFn: async () => (await get<{ pairings: PairingRow[] }>("pairings")).pairings,
  }),
  license: queryOptions({ queryKey: ["license"], queryFn: () => get<License>("license") }),
  tls: queryOptions({ queryKey: ["tls"], queryFn: () => get<Tls>("tls") }),
  about: queryOptions({ queryKey: ["about"], queryFn: () => get<About>("about") }),
  logs: queryOptions({
    queryKey: ["logs"],
    queryFn: async () => (await get<{ lines: string[] }>("logs")).lines,
    refetchInterval: 5_000,
  }),
};

/** What the bridge can be told to do. */
export const orders = {
  signIn: async (token: string) => {
    const json = { token, pageKey: true };
    const { pageKey: key = "" } = await api.json<{ pageKey?: string }>("POST", at("session"), { json });
    pageKey.keep(key);
  },
  signOut: async () => {
    await api.json("DELETE", at("session"));
    pageKey.forget();
  },
  discover: () => api.json<DiscoveryState>("POST", at("discovery")),
  addPrinter: (printer: PrinterWritten) =>
    api.json("PUT", at(`printers/${part(printer.id)}`), { json: printer, ifNoneMatch: "*" }),
  savePrinter: (printer: PrinterWritten, version: string) =>
    api.json("PUT", at(`printers/${part(printer.id)}`), { json: printer, ifMatch: `"${version}"` }),
  removePrinter: (id: string) => api.text("DELETE", at(`printers/${part(id)}`)),
  checkPrinter: (id: string) => api.json<PrinterRow["status"]>("POST", at(`printers/${part(id)}/check`)),
  testPrinter: (id: string) => api.json<{ jobId: string }>("POST", at(`printers/${part(id)}/test`)),
  reprint: (job: string) => api.json<{ jobId: string }>("POST", at(`jobs/${part(job)}/reprint`)),
  /** `version` is the one that the edit is based on; without it the template is a new one. */
  saveTemplate: (template: TemplateBody, version?: string) =>
    api.json<{ version: number }>("PUT", at(`templates/${part(template.id)}`), {
      json: template,
      ...(version === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${version}"` }),
    }),
  removeTemplate: (id: string) => api.text("DELETE", at(`templates/${part(id)}`)),
  printTemplate: (id: string, printer: string, values: string[]) =>
    api.json<{ jobId: string }>("POST", at(`templates/${part(id)}/print`), { json: { printer, values } }),
  /** Refused where the origin was let in or refused already. */
  addOrigin: (origin: OriginBody) =>
    api.json<{ token?: string }>("POST", at("origins"), { json: origin, ifNoneMatch: "*" }),
  changeOrigin: (origin: OriginBody, version: string) =>
    api.json("POST", at("origins"), { json: origin, ifMatch: `"${version}"` }),
  /** Lets in a further browser of an origin, whose rights stay as they are. */
  admit: (origin: string, code: string) =>
    api.json("POST", at("origins"), { json: { origin, code, issueToken: false } }),
  deny: (origin: string) => api.text("POST", at("origins/deny"), { json: { origin } }),
  sendAway: (origin: string, code: string) =>
    api.text("DELETE", at(`pairings?origin=${part(origin)}&code=${part(code)}`)),
  forget: (origin: string) => api.text("DELETE", at(`origins?origin=${part(origin)}`)),
  issueToken: (origin: string) =>
    api.json<{ token: string }>("POST", at("origins/tokens"), { json: { origin } }),
  revokeToken: (id: string) => api.text("DELETE", at(`origins/tokens/${id}`)),
  installLicense: (file: string) => api.json("PUT", at("license"), { json: { file } }),
  trust: (change: "add" | "remove", browsersOnly: boolean) =>
    api.json<{ reports: TrustReports }>("POST", at("tls/trust"), { json: { change, browsersOnly } }),
};
