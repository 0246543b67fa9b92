import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { Page } from "./page.tsx";
import { EmptyState } from "./states.tsx";

/** An address that leads nowhere, inside the frame, with a way on. */
export function NotFoundPage({
  home,
  what = "page",
}: {
  home: { name: string; path: string };
  what?: string;
}) {
  return (
    <Page title="Not found">
      <EmptyState title={`There is no such ${what}`}>
        The address may be mistyped, or what was there has been removed.{" "}
        <Anchor component={Link} href={home.path} inherit>
          {home.name}
        </Anchor>
      </EmptyState>
    </Page>
  );
}
