import { useUnsaved } from "@frontdesk/ui";
import { useQuery } from "@tanstack/react-query";
import {
  createContext,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { questions } from "../api.ts";
import type { Avatar, Me } from "../shapes.ts";
import { begin, type Design, type History } from "./design.ts";

interface Workbench {
  /** Undefined until it is known what the person has now. */
  readonly history: History | undefined;
  readonly setHistory: Dispatch<SetStateAction<History>>;
  readonly saved: Design | undefined;
}

const WorkbenchContext = createContext<Workbench | undefined>(undefined);

const NOTHING: { readonly history: History | null } = { history: null };

/**
 * Holds the face that is being made. What is not saved is kept in the browser by account, so that neither a look at
 * another page nor a reload nor an expired session loses it; what is saved can still be undone on this page.
 */
export function WorkbenchProvider({ me, children }: { me: Me; children: ReactNode }) {
  const { data: avatar } = useQuery(questions.avatar);
  const draft = useUnsaved(`design ${me.user.id}`, { value: NOTHING, version: "" }, { asksOnLeaving: false });
  const [touched, setTouched] = useState(draft.value.history ?? undefined);
  const seed = me.user.hash ?? me.user.id;
  const saved = useMemo(() => (avatar === undefined ? undefined : designOf(avatar)), [avatar]);
  const workbench = useMemo((): Workbench => {
    const fresh = begin(saved ?? { collection: "personas", seed, options: {} });
    return {
      history: touched ?? (avatar === undefined ? undefined : fresh),
      setHistory: (next) => setTouched((now) => (typeof next === "function" ? next(now ?? fresh) : next)),
      saved,
    };
  }, [avatar, saved, touched, seed]);
  const { set, discard } = draft;
  useEffect(() => {
    if (touched === undefined) return;
    if (JSON.stringify(touched.present) === JSON.stringify(saved)) discard();
    else set({ history: touched });
  }, [touched, saved, set, discard]);
  return <WorkbenchContext value={workbench}>{children}</WorkbenchContext>;
}

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (!workbench) throw new Error("useWorkbench needs a WorkbenchProvider around it");
  return workbench;
}

function designOf(avatar: Avatar | null): Design | undefined {
  if (avatar?.kind !== "designed" || !avatar.collection) return undefined;
  const { seed = "", options = {} } = avatar.config as Partial<Design>;
  return { collection: avatar.collection, seed, options };
}
