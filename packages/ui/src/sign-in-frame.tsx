import { Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { Brand } from "./brand.tsx";
import { ColorSchemeSwitch } from "./color-scheme-switch.tsx";
import classes from "./sign-in-frame.module.css";
import { t } from "./words/frame.ts";

/** The page before all others: whose house it is, and one question at a time on a card in its middle. */
export function SignInFrame(props: {
  service: string;
  /** What is asked. */
  title: string;
  /** What it is asked for, and where the answer is found. */
  about: ReactNode;
  children: ReactNode;
}) {
  const { service, title, about, children } = props;
  useEffect(() => {
    document.title = t.titleOf(title);
  }, [title]);
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <Brand service={service} />
        <Paper withBorder p={{ base: "lg", xs: 32 }} className={classes.card} shadow="sm">
          <Stack gap="lg">
            <Stack gap={6}>
              <Title order={1} fz="1.5rem">
                {title}
              </Title>
              <Text c="dimmed" size="sm">
                {about}
              </Text>
            </Stack>
            {children}
          </Stack>
        </Paper>
        <div className={classes.scheme}>
          <ColorSchemeSwitch />
        </div>
      </div>
    </main>
  );
}
