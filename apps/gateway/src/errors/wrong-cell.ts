import { ApiError } from './api-error';

export const wrongCell = new ApiError(
  421,
  'WRONG_CELL',
  'The secret belongs to another cell. Send the request to the address of that cell.',
);
