import { createQueryClient, LoadingState, lazyPage, NotFoundPage, Shell, startConsole } from "@frontdesk/ui";
import { BarChartIcon, CodeIcon, InputIcon, LayersIcon, TableIcon } from "@radix-ui/react-icons";
import { Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";

const TablePage = lazyPage(() => import("./tables.tsx").then((page) => page.TablePage));
const ChartPage = lazyPage(() => import("./charts.tsx").then((page) => page.ChartPage));
const InputPage = lazyPage(() => import("./inputs.tsx").then((page) => page.InputPage));
const EditorPage = lazyPage(() => import("./editors.tsx").then((page) => page.EditorPage));
const StatePage = lazyPage(() => import("./states.tsx").then((page) => page.StatePage));
const WallPage = lazyPage(() => import("./wall.tsx").then((page) => page.WallPage));

const DESTINATIONS = [
  { path: "/tables", name: "Tables", icon: <TableIcon /> },
  { path: "/charts", name: "Charts", icon: <BarChartIcon /> },
  { path: "/inputs", name: "Inputs", icon: <InputIcon /> },
  { path: "/editors", name: "Editors", icon: <CodeIcon /> },
  { path: "/states", name: "States and messages", icon: <LayersIcon />, troubles: 3 },
];

function Showcase() {
  return (
    <Switch>
      <Route path="/wall">
        <Suspense>
          <WallPage />
        </Suspense>
      </Route>
      <Route>
        <Shell service="Parts" destinations={DESTINATIONS} person={null} version="0.1.0">
          <Suspense fallback={<LoadingState />}>
            <Switch>
              <Route path="/tables" component={TablePage} />
              <Route path="/charts" component={ChartPage} />
              <Route path="/inputs" component={InputPage} />
              <Route path="/editors" component={EditorPage} />
              <Route path="/states" component={StatePage} />
              <Route path="/">
                <Redirect to="/tables" replace />
              </Route>
              <Route>
                <NotFoundPage home={{ name: "To the tables", path: "/tables" }} />
              </Route>
            </Switch>
          </Suspense>
        </Shell>
      </Route>
    </Switch>
  );
}

startConsole(<Showcase />, createQueryClient());
