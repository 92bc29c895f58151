import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { Frame } from './frame/frame';
import { later } from './frame/later';
import { registerWorker } from './frame/update';
import { Inbox } from './inbox/inbox';
import { isLoaded, keepCurrent } from './inbox/items';
import { Page } from './parts/page';
import { loadAccount, session } from './session/session';
import { FirstAccount, SignIn, SignUp } from './session/sign-in';
import { follow } from './stream/stream';

const Notification = later(() => import('./notification/notification'));
const Prompt = later(() => import('./prompt/prompt'));
const OncallPage = later(() => import('./page/page'));

export const App = () => (
  <LocationProvider scope="/console/">
    <Console />
  </LocationProvider>
);

const isForStrangers = (path: string): boolean => path === '/console/first' || path === '/console/sign-up';

function Console() {
  const { path, route } = useLocation();
  const isOut = session.value === 'out';
  useEffect(() => void registerWorker().catch(() => {}), []);
  useEffect(() => {
    if (isOut) return;
    const stops = [keepCurrent(), follow()];
    return () => stops.forEach((stop) => stop());
  }, [isOut]);
  // Who this is may be told after what is waiting.
  const isFirst = path === '/console' && !isLoaded.value;
  useEffect(() => {
    if (!isOut && !isFirst) void loadAccount().catch(() => {});
  }, [isOut, isFirst]);
  useEffect(() => {
    if (session.value === 'in' && isForStrangers(path)) route('/console/', true);
  }, [session.value, path]);

  if (isOut || isForStrangers(path))
    return (
      <Frame>
        {path === '/console/first' ? <FirstAccount /> : path === '/console/sign-up' ? <SignUp /> : <SignIn />}
      </Frame>
    );
  return (
    <Frame>
      <Router>
        <Route path="/console/" component={Inbox} />
        <Route path="/console/notifications/:id" component={Notification} />
        <Route path="/console/prompts/:id" component={Prompt} />
        <Route path="/console/pages/:id" component={OncallPage} />
        <Route default component={NotFound} />
      </Router>
    </Frame>
  );
}

const NotFound = () => (
  <Page title="Not found">
    <p>
      There is no such page. <a href="/console/">Go to the inbox.</a>
    </p>
  </Page>
);
