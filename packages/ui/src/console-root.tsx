import "@fontsource-variable/inter";
import "./mantine.css";
import "./base.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode, Suspense, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { ConfirmProvider } from "./confirm.tsx";
import { connection } from "./connection.ts";
import { useActed } from "./first-act.ts";
import { applyFirstStyles } from "./first-styles.ts";
import { keepFocus } from "./kept-focus.ts";
import { lazyPage } from "./lazy-page.ts";
import { guardHistory, useGuardedLocation } from "./location-hook.ts";
import { PlainMessages } from "./plain-messages.tsx";
import { firstAnswers, watchServer } from "./server-watch.ts";
import { cssVariables, theme } from "./theme.ts";
import { Tips } from "./tips.tsx";

const colorSchemeManager = localStorageColorSchemeManager({ key: "frontdesk-color-scheme" });

const LazyMessages = lazyPage(() => import("./messages.tsx").then((part) => part.Messages), PlainMessages);

/**
 * Puts a console into the page, with everything that its parts count on around it. It is drawn once, when the answers
 * are there that decide what the first page is, or without them where the server does not answer.
 */
export function startConsole(
  console: ReactNode,
  queryClient: QueryClient,
  answers: readonly Promise<unknown>[] = [],
): void {
  const place = document.getElementById("root");
  if (!place) throw new Error("the page has no element #root");
  guardHistory();
  keepFocus();
  watchServer({ connection, askAgain: () => void queryClient.invalidateQueries() });
  const page = (
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        colorSchemeManager={colorSchemeManager}
      >
        <QueryClientProvider client={queryClient}>
          <Router hook={useGuardedLocation}>
            <ConfirmProvider>{console}</ConfirmProvider>
          </Router>
        </QueryClientProvider>
        <Messages />
        <Tips />
      </MantineProvider>
    </StrictMode>
  );
  void Promise.all([applyFirstStyles(), firstAnswers(connection, answers)]).then(() => {
    setColorScheme();
    // A transition is drawn in short tasks: on a slow phone one long task would hold up taps and keys.
    startTransition(() => createRoot(place).render(page));
  });
}

/** Before anything is rendered: changed later, every element would be styled twice. */
function setColorScheme(): void {
  const chosen = colorSchemeManager.get("auto");
  const isDark = chosen === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
  document.documentElement.dataset.mantineColorScheme = isDark ? "dark" : "light";
}

/** Nothing is said to a person who has done nothing yet. */
function Messages() {
  return useActed() ? (
    <Suspense>
      <LazyMessages />
    </Suspense>
  ) : null;
}
