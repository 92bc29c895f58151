import { ForgottenText, type TextRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

const tokens: TextRows = { table: 'tokens', authors: ['account_id'], cleared: { name: 'NULL' } };

/** Clears the names of the tokens of deleted accounts, which nobody reads any more. */
@Injectable()
export class ForgottenTokens extends ForgottenText {
  readonly name = 'forgotten_tokens';
  protected readonly process = 'accounts.forgotten_tokens';
  protected readonly rows = [tokens];
}
