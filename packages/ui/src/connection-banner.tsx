import { Alert } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { connection } from "./connection.ts";
import { clockTime } from "./formats.ts";
import { t } from "./words/frame.ts";

/** How often a server that is away is tried. */
const RETRY_MS = 3_000;

/** When the server was last heard; undefined while it answers. */
export const useLostAt = () => useSyncExternalStore(connection.subscribe, connection.lostAt);

/** Says that the server is away, tries by itself, and asks again for all that is shown when it is back. */
export function ConnectionBanner() {
  const lostAt = useLostAt();
  const queries = useQueryClient();
  useEffect(() => {
    if (lostAt === undefined) return;
    const attempt = async () => {
      const reply = await fetch("/healthz", { cache: "no-store" }).catch(() => undefined);
      if (!reply) return;
      connection.answered();
      await queries.invalidateQueries();
    };
    const timer = setInterval(() => void attempt(), RETRY_MS);
    return () => clearInterval(timer);
  }, [lostAt, queries]);
  if (lostAt === undefined) return null;
  return (
    <Alert color="clay" icon={<ExclamationTriangleIcon />} role="status" mb="lg">
      {t.theServerDoesNotAnswer(clockTime(lostAt))}
    </Alert>
  );
}
