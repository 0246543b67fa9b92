import "@fontsource-variable/inter";
import "./mantine.css";
import "./base.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, type ReactNode, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { ConfirmProvider } from "./confirm.tsx";
import { useGuardedLocation } from "./location-hook.ts";
import { cssVariables, theme } from "./theme.ts";

const colorSchemeManager = localStorageColorSchemeManager({ key: "frontdesk-color-scheme" });

/** Fetched after the page is drawn: there is nothing to say before. */
const Messages = lazy(() => import("./messages.tsx").then((part) => ({ default: part.Messages })));

/** Puts a console into the page, with everything that its parts count on around it. */
export function startConsole(console: ReactNode, queryClient: QueryClient): void {
  const place = document.getElementById("root");
  if (!place) throw new Error("the page has no element #root");
  createRoot(place).render(
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
        <Suspense>
          <Messages />
        </Suspense>
      </MantineProvider>
    </StrictMode>,
  );
}
