import { Anchor, Code, List, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { Fragment, type ReactNode, useEffect } from "react";
import type { GuideBlock, GuidePart } from "./guide-blocks.ts";
import classes from "./guide-view.module.css";
import { decodedPart } from "./path-part.ts";
import { t } from "./words/guide.ts";

type Heading = Extract<GuideBlock, { kind: "heading" }>;

/** The guide of the service, of the very release that runs. `/help#printers` leads to one of its parts. */
export function GuideView({ guide }: { guide: readonly GuideBlock[] }) {
  const places = guide.filter((block): block is Heading => block.kind === "heading" && block.depth === 2);
  useEffect(() => {
    const show = () => {
      const place = document.getElementById(decodedPart(window.location.hash.slice(1)));
      place?.scrollIntoView();
      place?.focus({ preventScroll: true });
    };
    show();
    window.addEventListener("hashchange", show);
    return () => window.removeEventListener("hashchange", show);
  }, []);
  return (
    <>
      <nav aria-label={t.contents}>
        <List size="sm" spacing={6}>
          {places.map(({ id, parts }) => (
            <List.Item key={id}>
              <Anchor href={`#${id}`} size="sm">
                {shown(parts)}
              </Anchor>
            </List.Item>
          ))}
        </List>
      </nav>
      <Paper withBorder p={{ base: "md", xs: "lg" }} className={classes.guide}>
        <Blocks blocks={guide} />
      </Paper>
    </>
  );
}

function Blocks({ blocks }: { blocks: readonly GuideBlock[] }) {
  return (
    <Stack gap="md">
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a guide never changes
        <Block key={at} block={block} />
      ))}
    </Stack>
  );
}

function Block({ block }: { block: GuideBlock }) {
  switch (block.kind) {
    case "heading":
      return (
        <Title order={block.depth === 2 ? 2 : 3} id={block.id} tabIndex={-1} className={classes.place ?? ""}>
          {shown(block.parts)}
        </Title>
      );
    case "paragraph":
      return <Text size="sm">{shown(block.parts)}</Text>;
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is scrolled with the arrow keys
        <pre className={classes.code} tabIndex={0}>
          {block.text}
        </pre>
      );
    case "list": {
      const Items = block.ordered ? "ol" : "ul";
      return (
        <Items className={classes.list}>
          {block.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a guide never changes
            <li key={at}>
              <Blocks blocks={item} />
            </li>
          ))}
        </Items>
      );
    }
    case "table":
      return <GuideTable {...block} />;
  }
}

function GuideTable({ header, rows }: Extract<GuideBlock, { kind: "table" }>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is scrolled with the arrow keys
    <div className={classes.wide} tabIndex={0}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {header.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a guide never changes
              <Table.Th key={at}>{shown(cell)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a guide never changes
            <Table.Tr key={at}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a guide never changes
                <Table.Td key={column}>{shown(cell)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function shown(parts: readonly GuidePart[]): ReactNode {
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a guide never changes
    <Fragment key={at}>{shownPart(part)}</Fragment>
  ));
}

function shownPart(part: GuidePart): ReactNode {
  if (typeof part === "string") return part;
  switch (part.kind) {
    case "code":
      return <Code>{part.text}</Code>;
    case "strong":
      return <strong>{shown(part.parts)}</strong>;
    case "em":
      return <em>{shown(part.parts)}</em>;
    case "link":
      return (
        <Anchor href={part.href} inherit underline="always" rel="noreferrer">
          {shown(part.parts)}
        </Anchor>
      );
  }
}
