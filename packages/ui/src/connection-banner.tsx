import { Alert } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { useSyncExternalStore } from "react";
import { connection } from "./connection.ts";
import { nearTime } from "./formats.ts";
import { lateAnswers } from "./late-answer.ts";
import { useNow } from "./now.ts";
import { t } from "./words/frame.ts";

/** As of when what is shown was right; undefined while it is. */
export const useLostAt = () => useSyncExternalStore(connection.subscribe, connection.lostAt);

const useIsCrowded = () => useSyncExternalStore(connection.subscribe, connection.isCrowded);

/** Whether the server lets somebody wait for its answer. */
export const useIsLate = () => useSyncExternalStore(lateAnswers.subscribe, lateAnswers.areThere);

/** Says that the server is away, lets somebody wait, or tells too many of changes to tell this page too. */
export function ConnectionBanner() {
  const lostAt = useLostAt();
  const isLate = useIsLate();
  const isCrowded = useIsCrowded();
  const now = useNow();
  if (lostAt === undefined && !isLate) return null;
  return (
    <Alert color="clay" icon={<ExclamationTriangleIcon />} role="status" mb="lg">
      {lostAt === undefined
        ? t.theServerHasNotAnsweredYet
        : (isCrowded ? t.tooManyPagesAreOpen : t.theServerDoesNotAnswer)(nearTime(lostAt, now))}
    </Alert>
  );
}
