import type { HttpServer } from "@frontdesk/kit/http-server";
import { refuse } from "../domain/codes.ts";

/** More than any configuration has. Whatever walks a body of thousands would run out of stack. */
const MAX_DEPTH = 100;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)));

export function refuseDeepBodies(app: HttpServer): void {
  app.addHook("preValidation", async ({ body }) => {
    if (isDeeper(body, MAX_DEPTH)) refuse("too_deep");
  });
}
