import type { SignIn } from "@frontdesk/signin/sign-in";
import type { FastifyRequest } from "fastify";
import type { Accounts } from "../domain/accounts.ts";
import type { Attributions } from "../domain/attribution.ts";
import type { Avatars } from "../domain/avatars.ts";
import type { Claims } from "../domain/claims.ts";
import type { StyleCatalogue } from "../domain/design.ts";
import type { Limits } from "../domain/limits.ts";
import type { Names } from "../domain/names.ts";
import type { PersonalData } from "../domain/personal-data.ts";
import type { Photos } from "../domain/photo.ts";
import type { Platform } from "../domain/platform.ts";

/** What the routes call. */
export interface ApiParts {
  readonly accounts: Accounts;
  readonly avatars: Avatars;
  readonly signIn: SignIn;
  readonly limits: Limits;
  readonly catalogue: StyleCatalogue;
  readonly claims: Claims;
  readonly names: Names;
  readonly personalData: PersonalData;
  readonly platform: Platform;
  readonly attributions: Attributions;
  readonly mediaUrl: string;
  readonly photos: Photos;
  /** Where codes go: by mail, or into files that the operator reads. */
  readonly mail: "smtp" | "outbox";
}

/** What the routes behind the session gate have beside it. */
export interface GatedParts extends ApiParts {
  /** Refuses whose session has ended since the request began: a body may take its time. */
  readonly stillSignedIn: (request: FastifyRequest) => Promise<void>;
}
