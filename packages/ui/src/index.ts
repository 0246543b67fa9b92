export { type ActionOptions, busyProps, idleProps, useAction } from "./action.ts";
export { ActionForm } from "./action-form.tsx";
export { ago } from "./ago.ts";
export { type Api, ApiError, createApi, type ErrorWords, type FieldError, sentenceOf } from "./api-client.ts";
export { behindSignIn } from "./behind-sign-in.ts";
export { Bell, Brand } from "./brand.tsx";
export { browserTabs } from "./browser-tabs.ts";
export { ChangedElsewhere } from "./changed-elsewhere.tsx";
export { BarChart, DonutChart, type Slice } from "./charts.tsx";
export { ColorSchemeSwitch } from "./color-scheme-switch.tsx";
export { type Question, useConfirm } from "./confirm.tsx";
export { connection } from "./connection.ts";
export { ConnectionBanner, useLostAt } from "./connection-banner.tsx";
export { startConsole } from "./console-root.tsx";
export { CopyButton, CopyField } from "./copy-button.tsx";
export { csvOf, download } from "./csv.ts";
export { type Column, DataTable } from "./data-table.tsx";
export type { Command, Destination } from "./destinations.ts";
export { DiscardButton } from "./discard-button.tsx";
export { draftNames, dropDraft, hasDrafts, peekDraft } from "./drafts.ts";
export { CodeEditorSkeleton } from "./editor-frame.tsx";
export { emptied } from "./emptied.ts";
export { type FieldDifference, FieldDifferences } from "./field-differences.tsx";
export { FileDrop } from "./file-drop.tsx";
export { filled } from "./filled.tsx";
export { useActed } from "./first-act.ts";
export {
  clockTime,
  count,
  duration,
  exactTime,
  isKnownZone,
  listed,
  longDate,
  nearDate,
  type PluralForms,
  percentage,
  shortDate,
  wholeNumber,
} from "./formats.ts";
export { gather, gatherSpread } from "./gather.ts";
export { useIsMounted } from "./is-mounted.ts";
export { LateDialog } from "./late-dialog.tsx";
export { lazyPage } from "./lazy-page.ts";
export { mayLeave } from "./leave-guard.ts";
export { type LiveOptions, useLive } from "./live.ts";
export { localRows } from "./local-rows.ts";
export { Moment } from "./moment.tsx";
export { useNavigateIfMounted } from "./navigate-if-mounted.ts";
export { addressProblem, macProblem, normalMac } from "./network-address.ts";
export { AddressInput, MacInput } from "./network-inputs.tsx";
export { pagesVersion } from "./new-document.ts";
export { NewRelease } from "./new-release.tsx";
export { createNewestLast } from "./newest-last.ts";
export { NotFoundPage } from "./not-found.tsx";
export { useNow } from "./now.ts";
export { useOnceAnswered } from "./once-answered.ts";
export { useOpening } from "./opening.ts";
export type { Operations } from "./operations.ts";
export { Page, Section } from "./page.tsx";
export { usePageKey } from "./page-key.ts";
export { decodedPart } from "./path-part.ts";
export { PersonChip } from "./person-chip.tsx";
export { askAnew, putLive } from "./put-live.ts";
export { createQueryClient } from "./query-client.ts";
export { RemovedElsewhere } from "./removed-elsewhere.tsx";
export { type RemovedWork, useRemovedWork } from "./removed-work.ts";
export { type RowPage, type ServerRows, useServerRows } from "./server-rows.ts";
export { createSession, type Session } from "./session.ts";
export { SessionGate } from "./session-gate.tsx";
export { Shell } from "./shell.tsx";
export { shortName } from "./short-name.ts";
export { ShownOnce } from "./shown-once.tsx";
export { SignInFrame } from "./sign-in-frame.tsx";
export { SignOutButton } from "./sign-out-button.tsx";
export { HeatMap, Sparkline, UsageBar } from "./small-charts.tsx";
export { useSoonFocused } from "./soon-focused.ts";
export { EmptyState, ErrorState, Loaded, LoadingState, RowsSkeleton } from "./states.tsx";
export { Tips, tip } from "./tips.tsx";
export { tellDone, tellFailure, tellOffer, tellUndoable, withdrawUndoable } from "./toasts.tsx";
export { type Made, type Unsaved, useUnsaved } from "./unsaved.tsx";
export { type Sort, useUrlDialog, useUrlSort, useUrlState } from "./url-state.ts";
export { useLeaveGuard } from "./use-leave-guard.ts";
export type { VirtualColumn } from "./virtual-row.tsx";
export { NoRows, type Selection, VirtualTable } from "./virtual-table.tsx";
export { WallScreen } from "./wall-screen.tsx";
