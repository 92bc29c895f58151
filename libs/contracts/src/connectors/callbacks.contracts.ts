import {
  About,
  exactly,
  id,
  Id,
  Int,
  Link,
  nullable,
  object,
  Opaque,
  Optional,
  Sha256,
  type Static,
  text,
  When,
} from '@carillon/schema';
import { answers, Ok } from '../contract';
import { ConnectorById } from './connectors.contracts';

/** An attempt of a reply webhook, which goes through a connector where its host is that of one. */
export class BeginCallback {
  @Id('whd') deliveryId!: string;
  @Link('webhook') url!: string;
  @Int(0, 1e12) timestamp!: number;
  /** In base64: it is signed as it is. */
  @Opaque(1, 131_072) body!: string;
  /** Of a first attempt: since when there is something to deliver. */
  @Optional() @When() waitsSince?: string;
}

/** The address of a reply webhook that is about to be saved. */
export class CheckCallback {
  @Link('webhook') url!: string;
}

/** How the attempt is to be made. */
export interface BegunCallback {
  connectorId: string;
  url: string;
  /** The header `connector-signature`. */
  signature: string;
}

/** It waits for a connector that was removed meanwhile, and is to be given up. */
export interface LostCallback {
  connectorId: string;
  isRemoved: true;
}

export class AllowCallback extends ConnectorById {
  @About('The last part of the path that it came to.') @Id('cbd') deliveryId!: string;
  @About('Its `webhook-timestamp`.') @Int(0, 1e12) timestamp!: number;
  @About('Its `connector-signature`, whole.') @Opaque(1, 1024) signature!: string;
  @About('Of its body.') @Sha256() bodySha256!: string;
}

const AllowedCallback = object({
  allowed: exactly(true),
  deliveryId: id('cbd'),
  route: nullable(text('The route that has opened the path for callbacks.')),
  path: text('Path and query of where it goes.'),
  method: exactly('POST'),
});
export type AllowedCallback = Static<typeof AllowedCallback>;

export const Callbacks = {
  /** For the service of reply webhooks, for the account that it acts for. Null where the host is of no connector. */
  begin: answers<BegunCallback | LostCallback | null>()('connectors.callback.begin', BeginCallback, [
    'connector.disabled',
    'destination.not_allowed',
  ]),
  /** For the same service and account: refused where no attempt could be made. */
  check: answers(Ok)('connectors.callback.check', CheckCallback, ['destination.not_allowed'], 'always'),
  allow: answers(AllowedCallback)('connectors.callback.allow', AllowCallback, [
    'connector.unknown',
    'team.forbidden_role',
    'connector.disabled',
    'callback.invalid',
  ]),
};
