import { Badge, Burger, Group, NavLink, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { Brand } from "./brand.tsx";
import { ColorSchemeSwitch } from "./color-scheme-switch.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import type { Command, Destination } from "./destinations.ts";
import { count } from "./formats.ts";
import { LatePalette } from "./late-palette.tsx";
import { PageBoundary } from "./page-boundary.tsx";
import classes from "./shell.module.css";
import { t } from "./words/frame.ts";

/** The frame of a console: where one can go on the left (on a phone behind a button), the page on the right. */
export function Shell(props: {
  service: string;
  destinations: readonly Destination[];
  /** Who is signed in, and the way out. */
  person: ReactNode;
  /** What can be found by its name beside the pages. */
  commands?: readonly Command[];
  /** Which release answers. */
  version?: string;
  /** What a person should know on whichever page they are. */
  notices?: ReactNode;
  children: ReactNode;
}) {
  const [location] = useLocation();
  const [open, { toggle, close }] = useDisclosure(false);
  const burger = useRef<HTMLButtonElement>(null);
  useTroublesInTitle(props.destinations.reduce((sum, { troubles = 0 }) => sum + troubles, 0));
  const isHere = (path: string) => (path === "/" ? location === "/" : location.startsWith(path));
  const going = props.destinations.find(({ path }) => isHere(path))?.name ?? props.service;
  useTitleOnTheWay(going, location);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever arrives somewhere, by the palette too, wants to see it
  useEffect(close, [location]);
  useEffect(() => {
    if (!open) return;
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      close();
      burger.current?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [open, close]);
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        {t.skipToThePage}
      </a>
      <header className={classes.header}>
        <Brand service={props.service} />
        <Burger
          ref={burger}
          opened={open}
          onClick={toggle}
          size="sm"
          aria-label={t.openTheMenu}
          aria-expanded={open}
        />
      </header>
      <nav className={classes.side} aria-label={t.pages} data-open={open || undefined}>
        <Group justify="space-between" className={classes.top} wrap="nowrap">
          <Brand service={props.service} />
          <Burger
            opened={open}
            onClick={toggle}
            size="sm"
            hiddenFrom="sm"
            aria-label={t.closeTheMenu}
            aria-expanded={open}
          />
        </Group>
        <LatePalette destinations={props.destinations} commands={props.commands ?? []} />
        <div className={classes.scroll}>
          <Stack gap={2} component="ul" className={classes.list}>
            {props.destinations.map(({ path, name, icon, troubles = 0 }) => {
              const here = isHere(path);
              return (
                <li key={path}>
                  <NavLink
                    component={Link}
                    href={path}
                    onClick={close}
                    label={name}
                    leftSection={icon}
                    rightSection={troubles > 0 && <Troubles count={troubles} />}
                    active={here}
                    aria-current={here ? "page" : undefined}
                    className={classes.link}
                  />
                </li>
              );
            })}
          </Stack>
        </div>
        <Stack gap="md" className={classes.foot}>
          {props.person}
          <ColorSchemeSwitch />
          {props.version && (
            <Text size="xs" c="dimmed">
              {props.version}
            </Text>
          )}
        </Stack>
      </nav>
      <main id="main" tabIndex={-1} className={classes.main}>
        <ConnectionBanner />
        {props.notices}
        <PageBoundary key={location}>{props.children}</PageBoundary>
      </main>
    </div>
  );
}

function Troubles({ count: amount }: { count: number }) {
  return (
    <Badge color="clay" circle={amount < 10} aria-label={count(amount, t.troubles)}>
      {amount}
    </Badge>
  );
}

/**
 * While the files of a page are late, the title says where one is going, not where one was. A page that is there sets its
 * own title in an effect, which comes after this.
 */
function useTitleOnTheWay(title: string, location: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: two pages may be under one name
  useLayoutEffect(() => {
    document.title = t.titleOf(title);
  }, [title, location]);
}

/** Behind the number of troubles in a title: no name that a person typed begins with a number in brackets and this space. */
const NO_BREAK_SPACE = "\u00a0";
const TROUBLES = new RegExp(`^\\(\\d+\\)${NO_BREAK_SPACE}`);

/** A tab in the background says by its title that something wants a person. */
function useTroublesInTitle(troubles: number): void {
  useEffect(() => {
    const show = () => {
      const bare = document.title.replace(TROUBLES, "");
      const wanted = troubles > 0 ? `(${troubles})${NO_BREAK_SPACE}${bare}` : bare;
      if (document.title !== wanted) document.title = wanted;
    };
    show();
    const title = document.querySelector("title");
    const watch = new MutationObserver(show);
    if (title) watch.observe(title, { childList: true });
    return () => watch.disconnect();
  }, [troubles]);
}
