import { Group, Paper, type PaperProps, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useId, useRef } from "react";
import classes from "./page.module.css";

/** One page of a console: its name in the heading, in the window's title, and read out on arrival. */
export function Page(props: { title: string; intro?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  const { title, intro, actions, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Frontdesk`;
  }, [title]);
  useEffect(() => {
    // Only when a person came from another page: on the first load nothing had the focus.
    if (document.activeElement !== document.body || window.history.state !== null) heading.current?.focus();
  }, []);
  return (
    <Stack gap="xl" className={classes.page}>
      <Group justify="space-between" align="flex-end" gap="md">
        <Stack gap={6} className={classes.words}>
          <Title order={1} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {intro && (
            <Text c="dimmed" component="div">
              {intro}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** A card with a name. */
export function Section(
  props: PaperProps & { title: string; about?: ReactNode; actions?: ReactNode; children: ReactNode },
) {
  const { title, about, actions, children, className = "", ...rest } = props;
  const id = useId();
  return (
    <Paper
      component="section"
      aria-labelledby={id}
      withBorder
      p={{ base: "md", xs: "lg" }}
      className={`${classes.card} ${className}`}
      {...rest}
    >
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2} className={classes.words}>
            <Title order={2} id={id}>
              {title}
            </Title>
            {about && (
              <Text size="sm" c="dimmed" component="div">
                {about}
              </Text>
            )}
          </Stack>
          {actions}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
