import { filled, LoadingState, Section, useOnceAnswered } from "@frontdesk/ui";
import { Anchor, List, Text, ThemeIcon } from "@mantine/core";
import { CheckIcon, DotIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { questions } from "./api.ts";
import { useJobs } from "./use-jobs.ts";
import { t } from "./words/printers.ts";

/** What is left to do before the first web page prints; gone when all of it is done. What is below comes with it, and stays put. */
export function FirstSteps({ children }: { children: ReactNode }) {
  const { data: printers, isPending } = useQuery(questions.printers);
  const { data: origins, isPending: isAsking } = useQuery(questions.origins);
  const printed = useJobs({ state: "Done", printer: "", q: "" });
  if (!useOnceAnswered(isPending || isAsking || printed.isLoading)) return <LoadingState />;
  return (
    <>
      {printers && origins && (
        <StepsLeft
          hasPrinter={printers.some(({ transport }) => transport !== "virtual")}
          hasPrinted={printed.rows.length > 0}
          hasPage={origins.some(({ state }) => state === "approved")}
        />
      )}
      {children}
    </>
  );
}

function StepsLeft(props: { hasPrinter: boolean; hasPrinted: boolean; hasPage: boolean }) {
  const steps: ReadonlyArray<[done: boolean, step: ReactNode]> = [
    [
      props.hasPrinter,
      filled(t.findOrAdd, {
        find: <Step to="/printers/~find">{t.findAPrinter}</Step>,
        add: <Step to="/printers/~new">{t.addOne}</Step>,
      }),
    ],
    [props.hasPrinted, t.printATestLabelTheButton],
    [props.hasPage, filled(t.openThePage, { letItIn: <Step to="/origins">{t.letItIn}</Step> })],
  ];
  if (steps.every(([done]) => done)) return null;
  return (
    <Section title={t.firstSteps} about={t.soThatAWebPageCan}>
      <List spacing="xs" center>
        {steps.map(([done, step], at) => (
          <List.Item
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps are always the same
            key={at}
            icon={
              <ThemeIcon size={22} radius="xl" variant="light" color={done ? "pine" : "gray"}>
                {done ? <CheckIcon aria-label={t.done} /> : <DotIcon aria-label={t.toDo} />}
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
        {filled(t.pagesByHttps, { certificate: <Step to="/certificate">{t.certificate}</Step> })}
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
