import { Alert, Button, Center, Loader, Skeleton, Stack, Text, Title } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import type { ReactNode } from "react";
import { ApiError, sentenceOf } from "./api-client.ts";
import { filled } from "./filled.tsx";
import { Moment } from "./moment.tsx";
import { t } from "./words/frame.ts";

export function LoadingState({ what = t.loading }: { what?: string }) {
  return (
    <Center py="xl" mih={160} role="status">
      <Stack align="center" gap="sm">
        <Loader size="sm" />
        <Text size="sm" c="dimmed">
          {what} …
        </Text>
      </Stack>
    </Center>
  );
}

/** The shape of rows that are on their way, so that the page does not jump when they come. */
export function RowsSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label={t.loading}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={index} height={28} radius="sm" />
      ))}
    </Stack>
  );
}

export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Alert color="red" variant="light" icon={<ExclamationTriangleIcon />} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{sentenceOf(error)}</Text>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {t.tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Nothing is there yet: says so, and what to do about it. Its heading is one below a section's; `order` 2: a page's. */
export function EmptyState(props: { title: string; order?: 2 | 3; children?: ReactNode }) {
  const { title, order = 3, children } = props;
  return (
    <Stack align="center" gap={4} py="xl" px="md" ta="center">
      <Title order={order} fz="1rem" dir="auto">
        {title}
      </Title>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </Stack>
  );
}

export interface OldAnswer {
  readonly error: unknown;
  /** When the data came, by this browser's clock. */
  readonly dataUpdatedAt: number;
  readonly refetch: () => unknown;
}

interface Answer<T> extends OldAnswer {
  readonly data: T | undefined;
}

/** Shows what a query brought, or that it is still coming, or why it did not come. */
export function Loaded<T>({ query, children }: { query: Answer<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) {
    return (
      <>
        <OldNote answer={query} />
        {children(query.data)}
      </>
    );
  }
  if (query.error) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return <LoadingState />;
}

/** By a fault of the server: where it does not answer, or says that something is away, the page tells it in another place. */
export const isServerFault = (error: unknown) => error instanceof ApiError && error.status === 500;

/** What is shown was read before; where it could not be read again, it must not pass for what is. */
export function OldNote({ answer, mb = 0 }: { answer: OldAnswer; mb?: "sm" | 0 }) {
  if (!isServerFault(answer.error)) return null;
  const time = new Date(answer.dataUpdatedAt).toISOString();
  return (
    <Alert color="clay" icon={<ExclamationTriangleIcon />} role="status" mb={mb}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm" component="div">
          {filled(t.couldNotBeReadAnew, { time: <Moment time={time} /> })}
        </Text>
        <Button size="xs" variant="default" onClick={() => void answer.refetch()}>
          {t.tryAgain}
        </Button>
      </Stack>
    </Alert>
  );
}
