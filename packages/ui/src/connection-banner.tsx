import { Alert } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { useSyncExternalStore } from "react";
import { connection } from "./connection.ts";
import { nearTime } from "./formats.ts";
import { useNow } from "./now.ts";
import { t } from "./words/frame.ts";

/** As of when what is shown was right; undefined while it is. */
export const useLostAt = () => useSyncExternalStore(connection.subscribe, connection.lostAt);

/** Says that the server is away. */
export function ConnectionBanner() {
  const lostAt = useLostAt();
  const now = useNow();
  if (lostAt === undefined) return null;
  return (
    <Alert color="clay" icon={<ExclamationTriangleIcon />} role="status" mb="lg">
      {t.theServerDoesNotAnswer(nearTime(lostAt, now))}
    </Alert>
  );
}
