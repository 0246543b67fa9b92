import "@fontsource-variable/inter";
import "./mantine.css";
import "./base.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { ConfirmProvider } from "./confirm.tsx";
import { useActed } from "./first-act.ts";
import { applyFirstStyles } from "./first-styles.ts";
import { lazyPage } from "./lazy-page.ts";
import { guardHistory, useGuardedLocation } from "./location-hook.ts";
import { cssVariables, theme } from "./theme.ts";
import { Tips } from "./tips.tsx";

const colorSchemeManager = localStorageColorSchemeManager({ key: "frontdesk-color-scheme" });

const LazyMessages = lazyPage(() => import("./messages.tsx").then((part) => part.Messages));

/** Puts a console into the page, with everything that its parts count on around it. */
export function startConsole(console: ReactNode, queryClient: QueryClient): void {
  const place = document.getElementById("root");
  if (!place) throw new Error("the page has no element #root");
  guardHistory();
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
  void applyFirstStyles().then(() => createRoot(place).render(page));
}

/** Nothing is said to a person who has done nothing yet. */
function Messages() {
  return useActed() ? (
    <Suspense>
      <LazyMessages />
    </Suspense>
  ) : null;
}
