import { BarChart, DonutChart, HeatMap, Page, Section, Sparkline, UsageBar } from "@frontdesk/ui";
import { TimeChart } from "@frontdesk/ui/time-chart";
import { Group, SimpleGrid, Stack } from "@mantine/core";

const START = Date.UTC(2026, 10, 15, 8);
const times = Array.from({ length: 120 }, (_, index) => START + index * 60_000);
const wave = (size: number, pace: number) =>
  times.map((_, index) => Math.round(size * (1.1 + Math.sin(index / pace))));

export function ChartPage() {
  return (
    <Page title="Charts">
      <Section title="Over time">
        <Stack>
          <TimeChart
            label="Requests a second"
            times={times}
            series={[
              { name: "DISCOVER", values: wave(40, 9), color: "pine" },
              { name: "NAK", values: wave(6, 5), color: "clay" },
            ]}
          />
          <TimeChart
            label="Active leases"
            area
            times={times}
            series={[{ name: "Leases", values: wave(900, 20), color: "pine" }]}
          />
          <TimeChart
            label="Nothing measured yet"
            times={[]}
            series={[{ name: "Leases", values: [], color: "pine" }]}
          />
        </Stack>
      </Section>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="Shares">
          <DonutChart
            label="Avatars by kind"
            whole="accounts"
            slices={[
              { name: "designed", value: 640 },
              { name: "uploaded", value: 210 },
              { name: "generated", value: 150 },
            ]}
          />
        </Section>
        <Section title="Bars">
          <BarChart
            label="Avatars by style"
            slices={[
              { name: "personas", value: 410 },
              { name: "bottts", value: 190 },
              { name: "山田 太郎のスタイル", value: 40 },
            ]}
          />
        </Section>
        <Section title="How full">
          <Stack gap="sm">
            <UsageBar label="Pool of the office" used={512} total={1_000} />
            <UsageBar label="Pool of the warehouse" used={870} total={1_000} />
            <UsageBar label="Pool of the guests" used={254} total={254} />
            <UsageBar label="An empty pool" used={0} total={0} />
          </Stack>
        </Section>
        <Section title="In a row">
          <Group>
            <Sparkline label="Rising over the last hour" values={[1, 2, 2, 4, 5, 8, 9, 12]} />
            <Sparkline label="Nothing over the last hour" values={[0, 0, 0, 0]} />
          </Group>
        </Section>
      </SimpleGrid>
      <Section title="Heat map">
        <HeatMap
          label="Visitors by day and hour"
          columns={["8", "9", "10", "11", "12", "13", "14", "15", "16", "17"]}
          rows={["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"].map((name, day) => ({
            name,
            values: Array.from({ length: 10 }, (_, hour) => (day * 3 + hour * 5) % 17),
          }))}
        />
      </Section>
    </Page>
  );
}
