import "@fontsource-variable/inter";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./base.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { ConfirmProvider } from "./confirm.tsx";
import { useGuardedLocation } from "./location-hook.ts";
import { cssVariables, theme } from "./theme.ts";

const colorSchemeManager = localStorageColorSchemeManager({ key: "frontdesk-color-scheme" });

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
        <Notifications position="bottom-right" containerWidth={380} limit={4} />
      </MantineProvider>
    </StrictMode>,
  );
}
