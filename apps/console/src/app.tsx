import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { renewRegistration } from './device/subscription';
import { Frame } from './frame/frame';
import { later } from './frame/later';
import { onOpened, registerWorker } from './frame/update';
import { Inbox } from './inbox/inbox';
import { error, isLoaded, keepCurrent } from './inbox/items';
import { afterFrame } from './parts/after-frame';
import { Page } from './parts/page';
import { takePlace } from './session/providers';
import { loadAccount, session } from './session/session';
import { FirstAccount, SignIn, SignUp } from './session/sign-in';
import { follow } from './stream/stream';

const Notification = later(() => import('./notification/notification'));
const Prompt = later(() => import('./prompt/prompt'));
const Activities = later(() => import('./activity/activities'));
const Services = later(() => import('./service/services'));
const SignInMethods = later(() => import('./account/sign-in-methods'));
const Tokens = later(() => import('./token/tokens'));
const Consent = later(() => import('./grant/consent'));
const CommandLine = later(() => import('./grant/command-line'));
const Webhooks = later(() => import('./webhook/webhooks'));
const Devices = later(() => import('./device/devices'));
const Teams = later(() => import('./team/teams'));
const Team = later(() => import('./team/team'));
const Join = later(() => import('./team/join'));
const OwnDuty = later(() => import('./oncall/own'));
const OncallGroup = later(() => import('./oncall/group'));
const Apps = later(() => import('./web-app/apps'));
const Connectors = later(() => import('./connector/connectors'));
const Operator = later(() => import('./operator/operator'));
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
  useEffect(() => onOpened((wanted) => route(wanted)), []);
  useLayoutEffect(() => (isOut ? undefined : keepCurrent()), [isOut]);
  // What is waiting comes first, and nothing beside it: who this is, what changes and the worker may wait.
  const isBegun = useRef(false);
  isBegun.current ||= isOut || path !== '/console' || isLoaded.value || error.value !== undefined;
  const mayFollow = isBegun.current;
  useEffect(() => {
    if (mayFollow) afterFrame(() => void registerWorker().catch(() => {}));
  }, [mayFollow]);
  useEffect(() => {
    if (isOut || !mayFollow) return;
    let stop = (): void => {};
    const cancel = afterFrame(() => {
      void loadAccount().catch(() => {});
      stop = follow();
    });
    return () => {
      cancel();
      stop();
    };
  }, [isOut, mayFollow]);
  useEffect(() => {
    if (session.value !== 'in') return;
    void renewRegistration().catch(() => {});
    const place = takePlace();
    if (place !== null) route(place, true);
  }, [session.value]);
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
        <Route path="/console/activities" component={Activities} />
        <Route path="/console/services" component={Services} />
        <Route path="/console/account" component={SignInMethods} />
        <Route path="/console/tokens" component={Tokens} />
        <Route path="/console/oauth/:uid" component={Consent} />
        <Route path="/console/cli" component={CommandLine} />
        <Route path="/console/cli/:userCode" component={CommandLine} />
        <Route path="/console/webhooks" component={Webhooks} />
        <Route path="/console/devices" component={Devices} />
        <Route path="/console/teams" component={Teams} />
        <Route path="/console/teams/:id" component={Team} />
        <Route path="/console/oncall/me" component={OwnDuty} />
        <Route path="/console/oncall/:id" component={OncallGroup} />
        <Route path="/console/join/:code" component={Join} />
        <Route path="/console/apps" component={Apps} />
        <Route path="/console/connectors" component={Connectors} />
        <Route path="/console/operator" component={Operator} />
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
