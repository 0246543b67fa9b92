import { type Column, count, DataTable, Loaded, listed } from "@frontdesk/ui";
import { Badge, Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call } from "./api.ts";
import { reasonInWords } from "./words/events.ts";
import { t } from "./words/preview.ts";

type Replay = Awaited<ReturnType<typeof askReplay>>;
type Item = Replay["items"][number];

const KINDS = ["refused", "moved", "served", "changed"] as const;
const COLORS = { refused: "red", moved: "clay", served: "pine", changed: "gray" } as const;
const MAX_SHOWN = 20;

const askReplay = (text: string) => call("POST /config/replay", { text });

/** Whom a configuration would move, refuse or leave as they are, decided by the engine for each client. */
export function ConfigReplay({ text }: { text: string }) {
  const replay = useQuery({
    queryKey: ["config-replay", text],
    queryFn: () => askReplay(text),
    gcTime: 0,
    retry: false,
  });
  return <Loaded query={replay}>{(found) => <Replayed found={found} />}</Loaded>;
}

function Replayed({ found }: { found: Replay }) {
  const { clients, unchanged, items } = found;
  const others = KINDS.filter((kind) => found[kind] > 0).map((kind) => count(found[kind], t[kind]));
  const told = clients - unchanged;
  return (
    <Stack gap="sm">
      <Text size="sm" fw={550} role="status">
        {clients === 0
          ? t.nobody
          : others.length === 0
            ? count(clients, t.everybodyUnchanged)
            : t.summary(listed([count(unchanged, t.unchanged), ...others]))}
      </Text>
      {items.length > 0 && (
        <DataTable
          caption={t.clients}
          columns={COLUMNS}
          rows={items.slice(0, MAX_SHOWN)}
          rowKey={({ mac, client_id, duid, before }) => `${mac} ${client_id} ${duid} ${before}`}
        />
      )}
      {told > MAX_SHOWN && <Text size="sm">{count(told - MAX_SHOWN, t.more)}</Text>}
    </Stack>
  );
}

const COLUMNS: Column<Item>[] = [
  {
    title: t.client,
    cell: ({ mac, duid, hostname }) => (
      <Stack gap={0}>
        {hostname && (
          <Text size="sm">
            <bdi>{hostname}</bdi>
          </Text>
        )}
        <Text size="sm" ff="monospace">
          {mac ?? duid}
        </Text>
      </Stack>
    ),
  },
  { title: t.effect, cell: ({ kind }) => <Badge color={COLORS[kind]}>{t.kinds[kind]}</Badge> },
  { title: t.addressNow, cell: ({ before }) => (before ? <Code>{before}</Code> : t.none) },
  { title: t.addressThen, cell: ({ after }) => (after ? <Code>{after}</Code> : t.none) },
  {
    title: t.details,
    cell: ({ reason, options }) => (reason ? reasonInWords(reason) : options.join(", ")),
  },
];
