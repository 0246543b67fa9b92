import { randomBytes } from "node:crypto";
import { isoTime } from "./clock-text.ts";
import { refuse } from "./codes.ts";
import type { ShareLinkRecord } from "./records.ts";
import type { ShareLink } from "./resources.ts";
import { hashToken } from "./token.ts";
import type { Unit } from "./unit.ts";

export const shareLinkView = ({ id, kind, projectId, createdAt }: ShareLinkRecord): ShareLink => ({
  id,
  kind,
  projectId,
  createdAt: isoTime(createdAt),
});

/** A read-only way in for people without an account; its token is shown this once. */
export async function createShareLink(
  unit: Unit,
  wanted: { kind: "board" } | { kind: "project"; projectId: string },
): Promise<{ token: string; link: ShareLinkRecord }> {
  if (wanted.kind === "project" && !(await unit.projects.find(wanted.projectId)))
    throw refuse("project_not_found");
  const token = randomBytes(24).toString("base64url");
  const link: ShareLinkRecord = {
    id: unit.newId(),
    kind: wanted.kind,
    projectId: wanted.kind === "project" ? wanted.projectId : null,
    tokenHash: hashToken(token),
    createdAt: unit.now,
    revokedAt: null,
  };
  await unit.shareLinks.save(link);
  unit.audit("share_link.created", link.id, { kind: link.kind });
  return { token, link };
}

/** Opening a link is told to those who watch. */
export async function openShareLink(unit: Unit, token: string): Promise<ShareLinkRecord> {
  const link = await unit.shareLinks.byHash(hashToken(token));
  if (!link || link.revokedAt !== null) throw refuse("share_link_not_found");
  unit.emit("share_link.accessed", { shareLink: shareLinkView(link) });
  return link;
}

export async function revokeShareLink(unit: Unit, id: string): Promise<void> {
  const link = await unit.shareLinks.find(id);
  if (!link) throw refuse("share_link_not_found");
  if (link.revokedAt !== null) return;
  await unit.shareLinks.save({ ...link, revokedAt: unit.now });
  unit.audit("share_link.revoked", id);
}
