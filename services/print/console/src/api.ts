import { createApi, type RowPage } from "@frontdesk/ui";
import { queryOptions } from "@tanstack/react-query";
import type { AdminOperations } from "../../bridge/src/http/admin-operation-schemas.ts";
import type {
  OriginBody,
  PreviewBody,
  PrinterWritten,
  TemplateBody,
} from "../../bridge/src/http/admin-schemas.ts";
import { pageKey } from "./page-key.ts";
import { forgetTestValues } from "./test-values.ts";
import type { KINDS } from "./words/audit.ts";
import { words } from "./words/codes.ts";

export type { OriginBody, PreviewBody, PrinterWritten, TemplateBody };

type Reply<Name extends keyof AdminOperations> = AdminOperations[Name]["reply"];

export type About = Reply<"GET /about">;
export type AuditRow = Reply<"GET /audit">["items"][number];
export type Discovery = Reply<"GET /discovery">;
export type JobDetail = Reply<"GET /jobs/{id}">;
export type JobRow = NonNullable<Reply<"GET /jobs">["items"]>[number];
export type OriginRow = Reply<"GET /origins">["origins"][number];
export type PairingRow = Reply<"GET /pairings">["pairings"][number];
export type PrinterRow = Reply<"GET /printers">["printers"][number];
export type TemplateRow = Reply<"GET /templates">["templates"][number];
export type TemplateVersionRow = Reply<"GET /templates/{id}/versions">["versions"][number];
export type TrustReports = Reply<"POST /tls/trust">["reports"];

const BASE = "/api/v1/admin";
const { call } = createApi<AdminOperations>({ words, headers: pageKey.headers, base: BASE });

/** A longer search is refused. */
export const MAX_SEARCH = 200;

/** What a list of jobs shows. Empty: all. */
export interface JobFilter {
  readonly state: JobRow["state"] | "";
  readonly printer: string;
  readonly q: string;
}

/** Which changes the audit log shows. Empty: all. */
export interface AuditFilter {
  readonly kind: keyof typeof KINDS | "";
  readonly q: string;
}

/** What the bridge can be asked, each with the name it has in the cache. */
export const questions = {
  session: queryOptions({
    queryKey: ["session"],
    queryFn: async () => ((await call("GET /session")).signedIn ? "administrator" : null),
    staleTime: Number.POSITIVE_INFINITY,
  }),
  printers: queryOptions({
    queryKey: ["printers"],
    queryFn: async () => (await call("GET /printers")).printers,
  }),
  discovery: queryOptions({
    queryKey: ["discovery"],
    queryFn: () => call("GET /discovery"),
    // What is found is told live; this is for when that line is down.
    refetchInterval: ({ state }) => (state.data?.state === "searching" ? 2_000 : false),
  }),
  /** The newest ones, whatever their printer. */
  jobs: queryOptions({
    queryKey: ["jobs"],
    queryFn: async () => (await call("GET /jobs")).jobs ?? [],
  }),
  /** A page of all jobs that are kept, newest first. */
  jobPage: async (
    { state, printer, q }: JobFilter,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<RowPage<JobRow>> => {
    const query = {
      limit: 100,
      ...(state ? { state } : {}),
      ...(printer ? { printer } : {}),
      ...(q ? { q } : {}),
      ...(cursor ? { cursor } : {}),
    };
    const { items = [], next_cursor = null, total } = await call("GET /jobs", { query, signal });
    return { items, next_cursor, ...(total === undefined ? {} : { total }) };
  },
  job: (id: string) =>
    queryOptions({
      queryKey: ["job", id],
      queryFn: async () => {
        const job = await call("GET /jobs/{id}", { path: { id } });
        return { ...job, pictures: job.pictures.map(pageKey.inAddress) };
      },
    }),
  jobPreview: (id: string) =>
    queryOptions({
      queryKey: ["job-preview", id],
      queryFn: async () => (await call("GET /jobs/{id}/preview", { path: { id } })).pictures,
      staleTime: Number.POSITIVE_INFINITY,
    }),
  labels: (printer: string) =>
    queryOptions({
      queryKey: ["labels", printer],
      queryFn: async () => {
        const { labels } = await call("GET /printers/{id}/labels", { path: { id: printer } });
        return labels.map((name) =>
          pageKey.inAddress(`${BASE}/printers/${encodeURIComponent(printer)}/labels/${name}`),
        );
      },
    }),
  templates: queryOptions({
    queryKey: ["templates"],
    queryFn: async () => (await call("GET /templates")).templates,
  }),
  templateVersions: (id: string) =>
    queryOptions({
      queryKey: ["templates", id, "versions"],
      queryFn: async () => (await call("GET /templates/{id}/versions", { path: { id } })).versions,
    }),
  preview: (asked: PreviewBody) =>
    queryOptions({
      queryKey: ["preview", asked],
      queryFn: ({ signal }) => call("POST /templates/preview", { json: asked, signal }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
    }),
  origins: queryOptions({
    queryKey: ["origins"],
    queryFn: async () => (await call("GET /origins")).origins,
  }),
  pairings: queryOptions({
    queryKey: ["pairings"],
    queryFn: () => call("GET /pairings"),
    // That pages find a place again is not told.
    refetchInterval: ({ state }) => (state.data?.crowded.length ? 10_000 : false),
  }),
  license: queryOptions({ queryKey: ["license"], queryFn: () => call("GET /license") }),
  tls: queryOptions({ queryKey: ["tls"], queryFn: () => call("GET /tls") }),
  about: queryOptions({ queryKey: ["about"], queryFn: () => call("GET /about") }),
  /** A page of the audit log, newest first. */
  auditPage: (
    { kind, q }: AuditFilter,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<RowPage<AuditRow>> =>
    call("GET /audit", {
      query: {
        limit: 100,
        ...(kind ? { action: kind } : {}),
        ...(q ? { q } : {}),
        ...(cursor ? { cursor } : {}),
      },
      signal,
    }),
  logs: queryOptions({
    queryKey: ["logs"],
    queryFn: async () => (await call("GET /logs")).lines,
    refetchInterval: 5_000,
  }),
};

/** What the bridge can be told to do. */
export const orders = {
  signIn: async (token: string) => {
    const json = { token, pageKey: true };
    const { pageKey: key = "" } = await call("POST /session", { json });
    pageKey.keep(key);
  },
  signOut: async () => {
    await call("DELETE /session");
    pageKey.forget();
    forgetTestValues();
  },
  discover: () => call("POST /discovery"),
  addPrinter: (printer: PrinterWritten) =>
    call("PUT /printers/{id}", { path: { id: printer.id }, json: printer, ifNoneMatch: "*" }),
  savePrinter: (printer: PrinterWritten, version: string) =>
    call("PUT /printers/{id}", { path: { id: printer.id }, json: printer, ifMatch: `"${version}"` }),
  /** Refused where another version is stored than the one that was seen; so are all removals. */
  removePrinter: (id: string, seen: number) =>
    call("DELETE /printers/{id}", { path: { id }, ifMatch: `"${seen}"` }),
  checkPrinter: (id: string) => call("POST /printers/{id}/check", { path: { id } }),
  testPrinter: (id: string) => call("POST /printers/{id}/test", { path: { id } }),
  reprint: (job: string) => call("POST /jobs/{id}/reprint", { path: { id: job } }),
  /** `version` is the one that the edit is based on; without it the template is a new one. */
  saveTemplate: (template: TemplateBody, version?: string) =>
    call("PUT /templates/{id}", {
      path: { id: template.id },
      json: template,
      ...(version === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${version}"` }),
    }),
  removeTemplate: (id: string, seen: number) =>
    call("DELETE /templates/{id}", { path: { id }, ifMatch: `"${seen}"` }),
  printTemplate: (id: string, printer: string, values: string[]) =>
    call("POST /templates/{id}/print", { path: { id }, json: { printer, values } }),
  /** Refused where the origin was let in or refused already. */
  addOrigin: (origin: OriginBody) => call("POST /origins", { json: origin, ifNoneMatch: "*" }),
  changeOrigin: (origin: OriginBody, version: string) =>
    call("POST /origins", { json: origin, ifMatch: `"${version}"` }),
  /** Lets in a further browser of an origin, whose rights stay as they are. */
  admit: (origin: string, code: string) =>
    call("POST /origins", { json: { origin, code, issueToken: false } }),
  deny: (origin: string) => call("POST /origins/deny", { json: { origin } }),
  sendAway: (origin: string, code: string) => call("DELETE /pairings", { query: { origin, code } }),
  forget: (origin: string, seen: number) =>
    call("DELETE /origins", { query: { origin }, ifMatch: `"${seen}"` }),
  issueToken: (origin: string) => call("POST /origins/tokens", { json: { origin } }),
  revokeToken: (id: string) => call("DELETE /origins/tokens/{id}", { path: { id } }),
  installLicense: (file: string) => call("PUT /license", { json: { file } }),
  trust: (change: "add" | "remove", browsersOnly: boolean) =>
    call("POST /tls/trust", { json: { change, browsersOnly } }),
};
