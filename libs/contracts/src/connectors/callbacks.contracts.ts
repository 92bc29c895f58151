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

/** Begins an attempt of a reply webhook, which goes through a connector if its host belongs to one. */
export class BeginCallback {
  @Id('whd') deliveryId!: string;
  @Link('webhook') url!: string;
  @Int(0, 1e12) timestamp!: number;
  /** The body in base64; its exact bytes are signed. */
  @Opaque(1, 131_072) body!: string;
  /** For a first attempt, or one after an attempt through a connector: the time since when the delivery is pending. */
  @Optional() @When() waitsSince?: string;
}

/** Checks the URL of a reply webhook before it is saved. */
export class CheckCallback {
  @Link('webhook') url!: string;
}

/** The parameters of the attempt. */
export interface BegunCallback {
  connectorId: string;
  url: string;
  /** The header `connector-signature`. */
  signature: string;
}

/** The delivery waited for a connector that was removed since, and must be given up. */
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
  /** For the webhooks service, on behalf of an account. Null if the host belongs to no connector. */
  begin: answers<BegunCallback | LostCallback | null>()('connectors.callback.begin', BeginCallback, [
    'connector.disabled',
    'destination.not_allowed',
  ]),
  /** For the same service and account. Refused if no attempt could be made. */
  check: answers(Ok)('connectors.callback.check', CheckCallback, ['destination.not_allowed'], 'always'),
  allow: answers(AllowedCallback)('connectors.callback.allow', AllowCallback, [
    'connector.unknown',
    'team.forbidden_role',
    'connector.disabled',
    'callback.invalid',
  ]),
};
