import { AppShell, Burger, Group, NavLink, ScrollArea, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { Brand } from "./brand.tsx";
import { ColorSchemeSwitch } from "./color-scheme-switch.tsx";
import { PageBoundary } from "./page-boundary.tsx";
import classes from "./shell.module.css";

export interface Destination {
  readonly path: string;
  readonly name: string;
  readonly icon: ReactNode;
}

/** The frame of a console: where one can go on the left (on a phone behind a button), the page on the right. */
export function Shell(props: {
  service: string;
  destinations: readonly Destination[];
  /** Who is signed in, and the way out. */
  person: ReactNode;
  children: ReactNode;
}) {
  const [location] = useLocation();
  const [open, { toggle, close }] = useDisclosure(false);
  return (
    <AppShell
      layout="alt"
      transitionDuration={0}
      padding={{ base: "md", sm: "xl" }}
      header={{ height: { base: 56, sm: 0 } }}
      navbar={{ width: 256, breakpoint: "sm", collapsed: { mobile: !open } }}
    >
      <a className={classes.skip} href="#main">
        Skip to the page
      </a>
      <AppShell.Header hiddenFrom="sm" className={classes.header}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Brand service={props.service} />
          <Burger opened={open} onClick={toggle} size="sm" aria-label="Open the menu" aria-expanded={open} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.side} aria-label="Pages">
        <Group justify="space-between" className={classes.top} wrap="nowrap">
          <Brand service={props.service} />
          <Burger
            opened={open}
            onClick={toggle}
            size="sm"
            hiddenFrom="sm"
            aria-label="Close the menu"
            aria-expanded={open}
          />
        </Group>
        <ScrollArea flex={1} type="auto" offsetScrollbars="present">
          <Stack gap={2} component="ul" className={classes.list}>
            {props.destinations.map(({ path, name, icon }) => {
              const here = path === "/" ? location === "/" : location.startsWith(path);
              return (
                <li key={path}>
                  <NavLink
                    component={Link}
                    href={path}
                    onClick={close}
                    label={name}
                    leftSection={icon}
                    active={here}
                    aria-current={here ? "page" : undefined}
                    className={classes.link}
                  />
                </li>
              );
            })}
          </Stack>
        </ScrollArea>
        <Stack gap="md" className={classes.foot}>
          {props.person}
          <ColorSchemeSwitch />
        </Stack>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <PageBoundary key={location}>{props.children}</PageBoundary>
      </AppShell.Main>
    </AppShell>
  );
}
