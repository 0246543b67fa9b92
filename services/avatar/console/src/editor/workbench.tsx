import { useUnsaved } from "@frontdesk/ui";
import { useQuery } from "@tanstack/react-query";
import {
  createContext,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { questions } from "../api.ts";
import type { Avatar, Me } from "../shapes.ts";
import { begin, type Design, type History } from "./design.ts";
import { held, isBehind, isSame, kept, type Touched } from "./unsaved-design.ts";

interface Workbench {
  /** Undefined until it is known what the person has now. */
  readonly history: History | undefined;
  readonly setHistory: Dispatch<SetStateAction<History>>;
  readonly saved: Design | undefined;
  /** The saved design that this one was begun on, null for none; undefined: not known. */
  readonly base: Design | null | undefined;
  /** Another design was saved elsewhere since this one was begun. */
  readonly isBehind: boolean;
  /** From now on this is an edit of that saved design. */
  readonly rebase: (saved: Design) => void;
  /** Keeps a saved design in the editor, also when it is no longer saved. */
  readonly hold: (saved: Design) => void;
  /** Takes what is saved and forgets the changes. */
  readonly discard: () => void;
}

const WorkbenchContext = createContext<Workbench | undefined>(undefined);

const NOTHING: Partial<Touched> = {};

/**
 * Holds the face that is being made. What is not saved is kept in the browser, so that neither a look at another page
 * nor a reload nor an expired session loses it; what is saved can still be undone on this page.
 */
export function WorkbenchProvider({ me, children }: { me: Me; children: ReactNode }) {
  const { data: avatar } = useQuery(questions.avatar);
  const draft = useUnsaved("design", { value: NOTHING, version: "" }, { asksOnLeaving: false });
  const [changed, setTouched] = useState<Touched | undefined>(() => {
    const { history, base } = draft.value;
    return history ? { history, base } : undefined;
  });
  const seed = me.user.hash ?? me.user.id;
  const saved = useMemo(() => (avatar === undefined ? undefined : designOf(avatar)), [avatar]);
  const touched = kept(changed, saved);
  const fresh = useMemo(() => begin(saved ?? { collection: "personas", seed, options: {} }), [saved, seed]);
  const freshBase = avatar === undefined ? undefined : (saved ?? null);
  const latest = useRef({ saved, fresh, freshBase });
  latest.current = { saved, fresh, freshBase };
  // Over what is there when it is called: what somebody agrees to later was offered earlier.
  const setHistory = useCallback<Workbench["setHistory"]>((next) => {
    setTouched((now) => {
      const { saved, fresh, freshBase } = latest.current;
      const before = kept(now, saved);
      const history = typeof next === "function" ? next(before?.history ?? fresh) : next;
      return { history, base: before ? before.base : freshBase };
    });
  }, []);
  const workbench = useMemo((): Workbench => {
    const base = touched ? touched.base : freshBase;
    return {
      history: touched?.history ?? (avatar === undefined ? undefined : fresh),
      setHistory,
      saved,
      base,
      isBehind: isBehind(touched, saved),
      rebase: (design) => setTouched((now) => now && { ...now, base: design }),
      hold: (design) => setTouched((now) => held(now, design)),
      discard: () => setTouched(undefined),
    };
  }, [avatar, saved, touched, fresh, freshBase, setHistory]);
  const { set, discard } = draft;
  useEffect(() => {
    if (touched === undefined || isSame(touched.history.present, saved)) discard();
    else set(touched);
  }, [touched, saved, set, discard]);
  return <WorkbenchContext value={workbench}>{children}</WorkbenchContext>;
}

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (!workbench) throw new Error("useWorkbench needs a WorkbenchProvider around it");
  return workbench;
}

export function designOf(avatar: Avatar | null): Design | undefined {
  if (avatar?.kind !== "designed" || !avatar.collection) return undefined;
  const { seed = "", options = {} } = avatar.config as Partial<Design>;
  return { collection: avatar.collection, seed, options };
}
