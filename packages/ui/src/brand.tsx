import { Group, Text } from "@mantine/core";
import { t } from "./words/frame.ts";

/** The bell on the desk. */
export function Bell({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="8.2" r="2" fill="var(--mantine-color-clay-5)" />
      <path d="M5.5 21.5a10.5 10.5 0 0 1 21 0z" fill="var(--mantine-primary-color-filled)" />
      <rect x="3.5" y="23.5" width="25" height="3.2" rx="1.6" fill="var(--mantine-primary-color-filled)" />
    </svg>
  );
}

/** The house's mark and the name of the service in it. */
export function Brand({ service }: { service: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Bell />
      <Text fw={650} lh={1.1} style={{ letterSpacing: "-0.02em" }}>
        {t.frontdesk}{" "}
        <Text span c="dimmed" inherit fw={450}>
          {service}
        </Text>
      </Text>
    </Group>
  );
}
