import { Section } from "@frontdesk/ui";
import { Anchor, List, Text, ThemeIcon } from "@mantine/core";
import { CheckIcon, DotIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { questions } from "./api.ts";

/** What is left to do before the first web page prints; gone when all of it is done. */
export function FirstSteps() {
  const { data: printers } = useQuery(questions.printers);
  const { data: origins } = useQuery(questions.origins);
  const { data: jobs } = useQuery(questions.jobs);
  if (!printers || !origins || !jobs) return null;
  const steps: ReadonlyArray<[done: boolean, step: ReactNode]> = [
    [
      printers.some(({ transport }) => transport !== "virtual"),
      <>
        <Step to="/printers/~find">Find a printer</Step> or <Step to="/printers/~new">add one</Step> by its
        address.
      </>,
    ],
    [
      jobs.some(({ state }) => state === "Done"),
      "Print a test label: the button is on each printer's card below.",
    ],
    [
      origins.some(({ state }) => state === "approved"),
      <>
        Open the page that wants to print and <Step to="/origins">let it in</Step> by its code.
      </>,
    ],
  ];
  if (steps.every(([done]) => done)) return null;
  return (
    <Section title="First steps" about="So that a web page can print through this machine.">
      <List spacing="xs" center>
        {steps.map(([done, step], at) => (
          <List.Item
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps are always the same
            key={at}
            icon={
              <ThemeIcon size={22} radius="xl" variant="light" color={done ? "pine" : "gray"}>
                {done ? <CheckIcon aria-label="Done:" /> : <DotIcon aria-label="To do:" />}
              </ThemeIcon>
            }
          >
            <Text size="sm" {...(done ? { c: "dimmed" } : {})} component="span">
              {step}
            </Text>
          </List.Item>
        ))}
      </List>
      <Text size="sm" c="dimmed">
        Pages that are opened by https also need this machine's <Step to="/certificate">certificate</Step> to
        be trusted.
      </Text>
    </Section>
  );
}

function Step({ to, children }: { to: string; children: string }) {
  return (
    <Anchor component={Link} href={to} inherit underline="always">
      {children}
    </Anchor>
  );
}
