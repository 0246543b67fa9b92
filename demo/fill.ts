import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LABELS, PEOPLE, TODOS } from "./office.ts";
import { ask, type Places, run } from "./services.ts";

/** The organisation that presence makes at its first start. */
const ORG = "home";
const SHOP = "https://shop.example.org";
const CLIENTS = 50;

/** Faces: people sign in with the code in their mail, and choose one. */
export async function fillFaces({ avatar, home }: Places): Promise<void> {
  for (const { email, face } of PEOPLE) {
    if (face === undefined) continue;
    await ask(`${avatar}/auth/code`, { json: { email } });
    const code = newestCode(join(home, "avatar/outbox"), email);
    const { headers } = await ask(`${avatar}/auth/verify`, { json: { email, code } });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    await ask(`${avatar}/me/avatar`, { json: { collection: face, seed: email }, headers: { cookie } });
  }
}

/** Members, by the command line. */
export async function fillMembers(): Promise<void> {
  const known = await run("presence", "member", "list", ORG);
  for (const { email, name } of PEOPLE)
    if (!known.includes(email)) await run("presence", "member", "add", ORG, email, "--name", name);
}

/** A webhook that hears of everything; answers with its secret. */
export async function fillWebhook(receiver: string): Promise<string> {
  for (const { id, url } of await listed("webhook"))
    if (url === receiver) await run("presence", "webhook", "remove", ORG, id);
  return run("presence", "webhook", "create", ORG, "--url", receiver);
}

/** The token of another system, that of the personnel office; answers with it. */
export async function fillToken(): Promise<string> {
  for (const { id, integration } of await listed("token"))
    if (integration === "hr") await run("presence", "token", "revoke", ORG, id);
  const may = ["--scopes", "status:write,todos:write"];
  return run("presence", "token", "create", ORG, "--integration", "hr", ...may);
}

/** What is there of a thing whose secret is shown once: it is of no use where a kill came before that was kept. */
const listed = async (
  what: "webhook" | "token",
): Promise<Array<{ id: string; url?: string; integration?: string }>> =>
  JSON.parse(await run("presence", what, "list", ORG, "--json"));

/** Statuses and TODOs as that system sets them. */
export async function fillWork(presence: ExternalApi): Promise<void> {
  for (const { email, status } of PEOPLE) await presence.setStatus(email, status);
  for (const [index, { email, text }] of TODOS.entries())
    await presence.createTodo(email, text, `demo-${index}`);
}

/** Presence's API for other systems. */
export function externalApi({ presence }: Places, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const members = `${presence}/api/v1/external/orgs/${ORG}/members`;
  return {
    setStatus: (email: string, status: string) =>
      ask(`${members}/${email}/status`, { json: { status }, headers }),
    createTodo: (email: string, text: string, externalRef: string) =>
      ask(`${members}/${email}/todos`, { json: { text, externalSystem: "demo", externalRef }, headers }),
  };
}

type ExternalApi = ReturnType<typeof externalApi>;

/** Real DHCP exchanges with the engine in the lab. */
export const fillLeases = (): Promise<string> => run("lease", "simulate", "--clients", String(CLIENTS));

/** A shop's page is let in, and prints labels on the virtual printer. */
export async function fillLabels({ print }: Places): Promise<void> {
  const token = await run("print", "origin", "approve", SHOP);
  for (const data of LABELS)
    await ask(`${print}/api/v2/printers/virtual/print`, {
      json: { data },
      headers: { authorization: `Bearer ${token}` },
    });
}

function newestCode(outbox: string, address: string): string {
  const mail = readdirSync(outbox)
    .sort()
    .map((file) => readFileSync(join(outbox, file), "utf8"))
    .findLast((text) => text.includes(address));
  const [code] =
    /\b\d{6}\b/.exec(
      mail
        ?.split(/\r?\n\r?\n/)
        .slice(1)
        .join("\n") ?? "",
    ) ?? [];
  if (code === undefined) throw new Error(`there is no mail with a code to ${address} in ${outbox}`);
  return code;
}
