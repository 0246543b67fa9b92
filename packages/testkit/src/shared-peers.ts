import { SHARED_POSTGRES, startPostgres } from "./postgres.ts";

/** Starts once what many test files need, and tells them through the environment. */
export async function startSharedPeers(): Promise<{ stop(): Promise<void> }> {
  const postgres = await startPostgres();
  process.env[SHARED_POSTGRES] = postgres.url;
  return postgres;
}
