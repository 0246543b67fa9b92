import { Anchor, Breadcrumbs, Group, Paper, type PaperProps, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Link } from "wouter";
import classes from "./page.module.css";
import { t } from "./words/frame.ts";

/** Whether a page was shown before: on the first load nothing had the focus, so nothing lost it. */
let arrived = false;

/** One page of a console: its name in the heading, in the window's title, and read out on arrival. */
export function Page(props: {
  title: string;
  /** Where this page hangs: the pages above it, outermost first. */
  above?: ReadonlyArray<{ name: string; path: string }>;
  intro?: ReactNode;
  actions?: ReactNode;
  /** Tables need the whole width; texts and forms do not. */
  wide?: boolean;
  /** The part of the guide that tells of this page. */
  help?: string;
  children: ReactNode;
}) {
  const { title, above = [], intro, actions, wide = false, help, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = t.titleOf(title);
  }, [title]);
  useEffect(() => {
    // An address with a fragment names what is to have it.
    if (arrived && !window.location.hash) heading.current?.focus({ preventScroll: true });
    arrived = true;
  }, []);
  return (
    <Stack gap="xl" className={classes.page} data-wide={wide || undefined}>
      {above.length > 0 && (
        <Breadcrumbs component="nav" aria-label={t.whereThisPageIs} className={classes.above}>
          {above.map(({ name, path }) => (
            <Anchor key={path} component={Link} href={path} size="sm" dir="auto">
              {name}
            </Anchor>
          ))}
        </Breadcrumbs>
      )}
      <Group justify="space-between" align="flex-end" gap="md">
        <Stack gap={6} className={classes.words}>
          <Title order={1} ref={heading} tabIndex={-1} dir="auto">
            {title}
          </Title>
          {intro && (
            <Text c="dimmed" component="div">
              {intro}
            </Text>
          )}
        </Stack>
        <Group gap="sm">
          {help && (
            <Anchor
              component={Link}
              href={`/help#${help}`}
              size="sm"
              aria-label={t.helpWith(title)}
              className={classes.target ?? ""}
            >
              {t.help}
            </Anchor>
          )}
          {actions}
        </Group>
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
