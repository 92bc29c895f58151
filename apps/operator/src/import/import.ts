import { Accounts, Oncall, type OncallGroup, type OncallWarnings, Teams } from '@carillon/contracts';
import { instant, isAfter, isPassing, Refused, unless } from '@carillon/eventing';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { failureOf } from '../command-line';
import { allOf, type Ask, onBehalfOf } from '../operator';
import { exportIn, type Part } from './export';
import { fromGoalert } from './goalert';
import { fromOncall } from './oncall';
import { fromOpsgenie } from './opsgenie';
import { type Found, hasSameTurns, type Mapped } from './rotations';

const products: ReadonlyMap<string, (whole: Part) => Mapped> = new Map([
  ['oncall', fromOncall],
  ['opsgenie', fromOpsgenie],
  ['goalert', fromGoalert],
]);

interface Given {
  readonly from: string;
  readonly file: string;
  readonly team: string;
  /** An admin of the team, in whose name the groups are created. */
  readonly as: string;
}

/** `exists`: a group of that name is there and the same; `differs`: it is there and stays as it is. */
type Outcome = 'created' | 'would be created' | 'exists' | 'differs' | 'not imported';

interface Imported {
  readonly name: string;
  readonly outcome: Outcome;
  readonly why?: string;
  /** Who is on call now; absent where there is no group yet. */
  readonly onCall?: string | null;
  readonly coverage: { readonly before: OncallWarnings | null; readonly after: OncallWarnings | null };
}

/** Creates the on-call groups of another product's export. Those that are there stay as they are. */
export async function importFrom(
  ask: Ask,
  { from, file, team, as, dryRun }: Given & { readonly dryRun: boolean },
): Promise<object> {
  const mapping = products.get(from);
  if (!mapping) throw new Error(`--from is one of ${[...products.keys()].join(', ')}`);
  const { found, unfit } = mapping(exportIn(readFileSync(file, 'utf8')));
  const { accountId } = await ask(Accounts.byEmail, { email: as });
  const asAdmin = onBehalfOf(ask, accountId);
  const people = await peopleOf(ask, asAdmin, team, found);
  const groups: OncallGroup[] = [];
  for await (const group of allOf((query) => asAdmin(Oncall.list, { id: team, ...query })))
    groups.push(group);
  const imported: Imported[] = [];
  for (const each of found)
    try {
      imported.push(await importOne(asAdmin, { team, dryRun, people, groups }, each));
    } catch (error) {
      // Of others it is not known whether there is a group now: they end the run, which can be repeated.
      if (!(error instanceof Refused) || isPassing(error)) throw error;
      imported.push(notImported(each, failureOf(error)));
    }
  return { dryRun, imported, unfit };
}

/** By their address: the account, or why there is none that can take a turn. */
type People = ReadonlyMap<string, { readonly accountId: string } | { readonly why: string }>;

async function peopleOf(ask: Ask, asAdmin: Ask, team: string, found: readonly Found[]): Promise<People> {
  const { members } = await asAdmin(Teams.get, { id: team });
  const people = new Map<string, { accountId: string } | { why: string }>();
  for (const email of new Set(found.flatMap(({ emails }) => emails))) {
    const account = await unless('account.not_found', ask(Accounts.byEmail, { email }));
    if (!account) people.set(email, { why: `${email} has no account` });
    else if (!members.some(({ userId }) => userId === account.accountId))
      people.set(email, { why: `${email} is no member of the team` });
    else people.set(email, account);
  }
  return people;
}

interface Import {
  readonly team: string;
  readonly dryRun: boolean;
  readonly people: People;
  /** Those of the team, which a new one joins. */
  readonly groups: OncallGroup[];
}

const maxName = 80;

async function importOne(
  asAdmin: Ask,
  { team, dryRun, people, groups }: Import,
  found: Found,
): Promise<Imported> {
  const { name, emails, escalation, period, handoffAt, timezone, startsAt } = found;
  const turns = emails.map((email) => people.get(email));
  const userIds = turns.flatMap((turn) => (turn && 'accountId' in turn ? [turn.accountId] : []));
  const missing = turns.flatMap((turn) => (turn && 'why' in turn ? [turn.why] : []));
  const there = groups.find((group) => group.name.toLowerCase() === name.toLowerCase());
  if (there) {
    const coverage = await coverageOf(asAdmin, there);
    const isSame = missing.length === 0 && isAs(there, { ...found, userIds });
    return {
      name,
      outcome: isSame ? 'exists' : 'differs',
      onCall: there.current?.person.name ?? null,
      coverage: { before: coverage, after: coverage },
    };
  }
  if ([...name].length > maxName) missing.push(`its name has more than ${maxName} characters`);
  if (missing.length > 0) return notImported(found, missing.join(', '));
  if (dryRun)
    return { name, outcome: 'would be created', coverage: { before: null, after: coverageFrom(startsAt) } };
  const { group } = await asAdmin(Oncall.create, {
    id: team,
    name,
    rotation: { userIds, period, handoffAt, timezone, startsAt },
    escalation: [...escalation],
  });
  groups.push(group);
  return {
    name,
    outcome: 'created',
    onCall: group.current?.person.name ?? null,
    coverage: { before: null, after: group.warnings },
  };
}

const notImported = ({ name }: Found, why: string): Imported => ({
  name,
  outcome: 'not imported',
  why,
  coverage: { before: null, after: null },
});

async function coverageOf(asAdmin: Ask, { id }: OncallGroup): Promise<OncallWarnings> {
  const { gaps, overlaps } = await asAdmin(Oncall.coverage, { groupId: id });
  return { gaps, overlaps };
}

/** A rotation without overrides has somebody on call from its first handoff on. */
const coverageFrom = (startsAt: string): OncallWarnings => {
  const now = instant(Date.now());
  return { gaps: isAfter(startsAt, now) ? [{ startsAt: now, endsAt: startsAt }] : [], overlaps: [] };
};

const isAs = (
  { rotation, escalation }: OncallGroup,
  found: Found & { readonly userIds: readonly string[] },
): boolean =>
  hasSameTurns({ ...rotation, userIds: rotation.members.map(({ userId }) => userId) }, found) &&
  isDeepStrictEqual(escalation, found.escalation);
