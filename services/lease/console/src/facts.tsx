import { SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Names and values under one another; what has no value is left out. */
export function Facts({ of }: { of: ReadonlyArray<[name: string, value: ReactNode]> }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="xs" m={0}>
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} style={{ overflowWrap: "anywhere" }}>
              <bdi>{value}</bdi>
            </Text>
          </div>
        ))}
    </SimpleGrid>
  );
}
