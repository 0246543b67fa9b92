import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { Page } from "./page.tsx";
import { EmptyState } from "./states.tsx";
import { t } from "./words/frame.ts";

/** An address that leads nowhere, inside the frame, with a way on. */
export function NotFoundPage({
  home,
  what = t.page,
}: {
  home: { name: string; path: string };
  what?: string;
}) {
  return (
    <Page title={t.notFound}>
      <EmptyState title={t.thereIsNoSuch(what)} order={2}>
        {t.mistypedOrRemoved}{" "}
        <Anchor component={Link} href={home.path} inherit underline="always">
          {home.name}
        </Anchor>
      </EmptyState>
    </Page>
  );
}
