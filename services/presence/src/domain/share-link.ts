import { randomBytes } from "node:crypto";
import { isoTime, isoTimeOrNull } from "./clock-text.ts";
import { refuse } from "./codes.ts";
import type { ShareLinkRecord } from "./records.ts";
import type { ShareLink } from "./resources.ts";
import { shownLine } from "./shown-text.ts";
import { hashToken } from "./token.ts";
import type { Unit } from "./unit.ts";

const MAX_SHARE_LINKS = 200;

export function shareLinkView({
  id,
  kind,
  projectId,
  createdAt,
  name,
  expiresAt,
}: ShareLinkRecord): ShareLink {
  const view: ShareLink = { id, kind, projectId, createdAt: isoTime(createdAt) };
  if (name !== "") view.name = name;
  if (expiresAt !== null) view.expiresAt = isoTimeOrNull(expiresAt);
  return view;
}

/** Whether a link still opens something. */
export const isOpen = (link: Pick<ShareLinkRecord, "revokedAt" | "expiresAt">, now: number): boolean =>
  link.revokedAt === null && (link.expiresAt === null || link.expiresAt > now);

export interface ShareLinkRequest {
  readonly kind: ShareLinkRecord["kind"];
  readonly projectId?: string | null;
  readonly name?: string;
  readonly expiresAt?: number | null;
}

/** A read-only way in for people without an account; its token is shown this once. */
export async function createShareLink(
  unit: Unit,
  wanted: ShareLinkRequest,
): Promise<{ token: string; link: ShareLinkRecord }> {
  const projectId = wanted.kind === "project" ? (wanted.projectId ?? "") : null;
  if (projectId !== null && !(await unit.projects.find(projectId))) throw refuse("project_not_found");
  const expiresAt = wanted.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= unit.now) throw refuse("expiry_in_past");
  if ((await unit.shareLinks.countLive(unit.now)) >= MAX_SHARE_LINKS) throw refuse("too_many_share_links");
  const token = randomBytes(24).toString("base64url");
  const link: ShareLinkRecord = {
    id: unit.newId(),
    kind: wanted.kind,
    projectId,
    tokenHash: hashToken(token),
    name: wanted.name === undefined ? "" : shownLine(wanted.name, "A link's name", 100),
    creator: unit.actor.kind === "member" ? unit.actor.memberId : null,
    createdAt: unit.now,
    expiresAt,
    accessedAt: null,
    revokedAt: null,
  };
  await unit.shareLinks.save(link);
  unit.audit("share_link.created", link.id, { kind: link.kind, name: link.name });
  return { token, link };
}

/** Opening a link is told to those who watch. */
export async function openShareLink(unit: Unit, token: string): Promise<ShareLinkRecord> {
  const found = await unit.shareLinks.byHash(hashToken(token));
  if (!found || !isOpen(found, unit.now)) throw refuse("share_link_not_found");
  const link = { ...found, accessedAt: unit.now };
  await unit.shareLinks.save(link);
  unit.emit("share_link.accessed", { shareLink: shareLinkView(link) });
  return link;
}

export async function revokeShareLink(unit: Unit, id: string): Promise<void> {
  const link = await unit.shareLinks.find(id);
  if (!link) throw refuse("share_link_not_found");
  if (link.revokedAt !== null) return;
  await unit.shareLinks.save({ ...link, revokedAt: unit.now });
  unit.audit("share_link.revoked", id);
  unit.touch("nothing");
}
