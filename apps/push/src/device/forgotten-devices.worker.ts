import { ForgottenText, type TextRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

const devices: TextRows = { table: 'devices', authors: ['account_id'], cleared: { device_name: 'NULL' } };

/** Clears the names of the devices of deleted accounts, which nobody reads any more. */
@Injectable()
export class ForgottenDevices extends ForgottenText {
  readonly name = 'forgotten_devices';
  protected readonly process = 'push.forgotten_devices';
  protected readonly rows = [devices];
}
