/** How much work one received message may cause: all bounds are checked before anything is hashed. */

/** Secrets (or keys, or certificates) of one source; each is tried. */
export const MAX_SECRETS = 10;

/** Signatures in one header; each is compared with each secret's. */
export const MAX_SIGNATURES = 10;

/** Parameters of a form: far more than any provider sends, and few enough to be read before it is known who sent them. */
export const MAX_FORM_PARAMETERS = 1000;

/** Characters of one header that counts. */
export const MAX_HEADER_CHARS = 4 * 1024;
