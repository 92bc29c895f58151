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
  Sha256,
  type Static,
  text,
} from '@carillon/schema';
import { answers } from '../contract';
import { ConnectorById } from './connectors.contracts';

/** An attempt of a reply webhook, which goes through a connector where its host is that of one. */
export class BeginCallback {
  @Id('whd') deliveryId!: string;
  @Link('webhook') url!: string;
  @Int(0, 1e12) timestamp!: number;
  /** In base64: it is signed as it is. */
  @Opaque(1, 131_072) body!: string;
}

/** How the attempt is to be made. */
export interface BegunCallback {
  connectorId: string;
  url: string;
  /** The header `connector-signature`. */
  signature: string;
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
  route: nullable(text('The route whose address it is for; null when it is for none.')),
  path: text('Path and query of where it goes.'),
  method: exactly('POST'),
});
export type AllowedCallback = Static<typeof AllowedCallback>;

export const Callbacks = {
  /** For the service of reply webhooks, for the account that it acts for. Null where the host is of no connector. */
  begin: answers<BegunCallback | null>()('connectors.callback.begin', BeginCallback, [
    'connector.disabled',
    'destination.not_allowed',
  ]),
  allow: answers(AllowedCallback)('connectors.callback.allow', AllowCallback, [
    'connector.unknown',
    'team.forbidden_role',
    'connector.disabled',
    'callback.invalid',
  ]),
};
