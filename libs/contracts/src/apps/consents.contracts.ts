import { About, Bool, Id, object, Optional } from '@carillon/schema';
import { answers } from '../contract';
import { App } from './apps.contracts';

export class GiveConsent {
  @Id('app') id!: string;
  @About('Whether the app is told the name.') @Bool() shareName!: boolean;
  @About('Whether the app is told the e-mail address.') @Bool() shareEmail!: boolean;
}

export class ChangeDisclosure {
  @Id('app') id!: string;
  @About('Whether the app is told the name.') @Optional() @Bool() shareName?: boolean;
  @About('Whether the app is told the e-mail address.') @Optional() @Bool() shareEmail?: boolean;
}

const OneApp = object({ app: App });

/** Only for signed-in persons: a token cannot consent for a person. */
export const Consents = {
  give: answers(OneApp)('connectors.consent.give', GiveConsent, ['app.unknown']),
  change: answers(OneApp)('connectors.consent.change', ChangeDisclosure, [
    'app.unknown',
    'input.empty_update',
    'consent.required',
  ]),
};
