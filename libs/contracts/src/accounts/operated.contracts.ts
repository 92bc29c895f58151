import {
  About,
  bool,
  Bool,
  count,
  id,
  Id,
  nullable,
  Optional,
  resource,
  type Static,
  text,
  Text,
  when,
} from '@carillon/schema';
import { answers } from '../contract';
import { type ListPage, ListQuery } from '../list-page';
import { AccountById } from './accounts.contracts';

/** An account as an operator sees it in the console. */
export const OperatedAccount = resource('OperatedAccount', {
  id: id('usr'),
  name: text(),
  email: text(),
  createdAt: when(),
  lastSeenAt: nullable(when('The last use of one of its sessions; null where none is kept.')),
  suspended: bool(),
  devices: count('Those that are active.'),
  sentToday: count(
    'What its agents and services have put into its inbox since midnight UTC; 10,000 at most.',
  ),
});
export type OperatedAccount = Static<typeof OperatedAccount>;

export class SearchAccounts extends ListQuery {
  @About('A part of the name or of the address.') @Optional() @Text(1, 200) query?: string;
}

export class OperatorRights {
  @Id('usr') accountId!: string;
  @Bool() operator!: boolean;
}

export const OperatedAccounts = {
  /** For an operator: accounts that are not deleted, newest first. */
  search: answers<ListPage<OperatedAccount>>()(
    'accounts.account.search',
    SearchAccounts,
    ['operator.required', 'list.invalid_cursor'],
    'always',
  ),
  /** For the operator of the installation: says whether the account is an operator, too. */
  changeOperator: answers<{ id: string; operator: boolean }>()(
    'accounts.account.change-operator',
    OperatorRights,
    ['operator.required', 'account.not_found'],
  ),
  /** For the operator of the installation: removes the authenticator app and the recovery codes; passkeys stay. */
  resetSecondFactor: answers<{ id: string }>()('accounts.second-factor.reset', AccountById, [
    'operator.required',
    'account.not_found',
  ]),
};
