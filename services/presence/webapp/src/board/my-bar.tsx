import { busyProps, tellFailure } from "@frontdesk/ui";
import { Box, UnstyledButton } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useMyself, useOrg } from "../org.ts";
import { useSetStatus } from "../use-set-status.ts";
import { t } from "../words/status.ts";
import classes from "./my-bar.module.css";
import { StatusLabel } from "./status-label.tsx";

/** Every status of the organisation: one click sets it for as long as it usually lasts. */
export function MyBar({ onSet }: { onSet?: () => void }) {
  const { board } = useOrg();
  const myself = useMyself();
  const { set } = useSetStatus();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (status: string) => set({ status, until: "default" }),
    onSuccess: () => onSet?.(),
    onError: tellFailure,
  });
  return (
    <Box className={classes.bar} role="group" aria-label={t.setAStatus}>
      {board.statuses.map((status) => (
        <UnstyledButton
          key={status.key}
          className={classes.choice}
          aria-pressed={myself?.status.status === status.key}
          onClick={() => mutate(status.key)}
          {...busyProps(isPending && variables === status.key)}
        >
          <StatusLabel status={status} />
        </UnstyledButton>
      ))}
    </Box>
  );
}
