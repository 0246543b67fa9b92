import { tip, useAction, type VirtualColumn } from "@frontdesk/ui";
import { ActionIcon, Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { BookmarkIcon, Cross2Icon, QuestionMarkCircledIcon } from "@radix-ui/react-icons";
import { type Lease, orders, questions } from "./api.ts";
import { identityOf } from "./event-badge.tsx";
import { InFuture } from "./in-future.tsx";
import { t } from "./words/leases.ts";

const CHANGES = [{ queryKey: ["lease-pages"] }, { queryKey: ["lease"] }];

/** What one list of leases shows of each; `open` shows all of it. */
export function leaseColumns(on: {
  isOperator: boolean;
  open: (ip: string) => void;
}): VirtualColumn<Lease>[] {
  return [
    {
      id: "ip",
      title: t.address,
      width: "7.5rem",
      cell: ({ ip }) => (
        <Anchor
          href={`?lease=${encodeURIComponent(ip)}`}
          size="sm"
          fw={550}
          ff="monospace"
          onClick={(event) => {
            // Ctrl, Shift and the like open it elsewhere.
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            on.open(ip);
          }}
        >
          {ip}
        </Anchor>
      ),
    },
    {
      id: "device",
      title: t.device,
      width: "minmax(9rem, 1.3fr)",
      cell: ({ hostname, vendor, maker, ...lease }) => (
        <Stack gap={0}>
          {hostname && <Untrusted>{hostname}</Untrusted>}
          <Text
            size={hostname ? "xs" : "sm"}
            {...(hostname ? { c: "dimmed" } : {})}
            ff="monospace"
            style={{ overflowWrap: "anywhere" }}
          >
            {identityOf(lease)}
          </Text>
          {maker && (
            <Text size="xs" c="dimmed" lineClamp={1}>
              <bdi>{maker}</bdi>
            </Text>
          )}
          {vendor && (
            <Text size="xs" c="dimmed" lineClamp={1} style={{ overflowWrap: "anywhere" }}>
              <bdi>{vendor}</bdi>
            </Text>
          )}
        </Stack>
      ),
    },
    {
      id: "state",
      title: t.state,
      width: "6rem",
      cell: (lease) => <LeaseBadges lease={lease} />,
    },
    { id: "ends", title: t.ends, width: "6rem", cell: (lease) => <Ends lease={lease} /> },
    { id: "dns", title: t.dnsName, width: "minmax(5rem, 1fr)", cell: (lease) => <DnsName lease={lease} /> },
    {
      id: "note",
      title: t.note,
      width: "minmax(5rem, 1fr)",
      cell: ({ note }) => note && <Untrusted>{note}</Untrusted>,
    },
    {
      id: "actions",
      title: t.actions,
      width: on.isOperator ? "6.5rem" : "3rem",
      actions: true,
      cell: (lease) => <LeaseActions lease={lease} {...on} />,
    },
  ];
}

/** Words that a device, or a person, made up: in their own direction, and breaking nothing. */
export function Untrusted({ children }: { children: string }) {
  return (
    <Text size="sm" style={{ overflowWrap: "anywhere" }} lineClamp={2}>
      <bdi>{children}</bdi>
    </Text>
  );
}

export function LeaseBadges({ lease: { state, reserved } }: { lease: Lease }) {
  const { words, color } = t.states[state];
  return (
    <Group gap={4}>
      <Badge color={color}>{words}</Badge>
      {reserved && (
        <Badge color="pine" variant="outline" {...tip(t.reservedFor)}>
          {t.reserved}
        </Badge>
      )}
    </Group>
  );
}

function Ends({ lease: { expires_at, state } }: { lease: Lease }) {
  if (!expires_at) return state === "active" ? t.forEver : null;
  return <InFuture time={expires_at} />;
}

export function DnsName({ lease: { ddns, dns_name } }: { lease: Lease }) {
  const name = ddns?.name ?? dns_name;
  if (!name) return null;
  return (
    <Stack gap={0}>
      <Untrusted>{name}</Untrusted>
      <Text size="xs" c={ddns?.error ? "var(--mantine-color-error)" : "dimmed"}>
        {ddns ? [t.ddnsStates[ddns.state] ?? ddns.state, ddns.error].filter(Boolean).join(": ") : t.notKept}
      </Text>
    </Stack>
  );
}

function LeaseActions(props: { lease: Lease; isOperator: boolean; open: (ip: string) => void }) {
  const { lease, isOperator, open } = props;
  const { ip, state, reserved } = lease;
  const why = t.whyThis(ip);
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <ActionIcon variant="subtle" color="gray" onClick={() => open(ip)} aria-label={why} {...tip(t.why)}>
        <QuestionMarkCircledIcon aria-hidden />
      </ActionIcon>
      {isOperator && !reserved && identityOf(lease) && <Reserve lease={lease} />}
      {isOperator && (state === "active" || state === "declined") && <Release lease={lease} />}
    </Group>
  );
}

function Reserve({ lease }: { lease: Lease }) {
  const { ip } = lease;
  const reserve = useAction(() => orders.reserve(lease), {
    changes: [...CHANGES, questions.reservations, questions.config],
    done: t.isReserved(ip),
  });
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={t.reserveThis(ip)} {...tip(t.reserve)} {...reserve}>
      <BookmarkIcon aria-hidden />
    </ActionIcon>
  );
}

function Release({ lease }: { lease: Lease }) {
  const { ip } = lease;
  const isDeclined = lease.state === "declined";
  const release = useAction(() => orders.release(lease), {
    ask: {
      title: isDeclined ? t.endQuarantineTitle(ip) : t.releaseTitle(ip),
      body: isDeclined ? t.endQuarantineBody : t.releaseBody,
      action: isDeclined ? t.endQuarantine : t.release,
      danger: true,
    },
    changes: CHANGES,
    done: t.isReleased(ip),
  });
  const name = isDeclined ? t.endQuarantineThis(ip) : t.releaseThis(ip);
  return (
    <ActionIcon
      variant="subtle"
      color="red"
      aria-label={name}
      {...tip(isDeclined ? t.endQuarantine : t.release)}
      {...release}
    >
      <Cross2Icon aria-hidden />
    </ActionIcon>
  );
}
