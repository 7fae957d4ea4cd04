interface Field {
  readonly name?: string;
  readonly filename?: string | null;
  readonly type?: string;
  readonly content: Buffer | string;
}

const BOUNDARY = '----formdata-7f3a';

/** Builds a multipart body by hand, so that tests can make it invalid in any way. */
export function form(...fields: Field[]) {
  const parts = fields.map(({ name = 'avatar', filename = 'me.png', type = 'image/png', content }) =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`),
      Buffer.from(filename === null ? '' : `; filename="${filename}"\r\nContent-Type: ${type}`),
      Buffer.from('\r\n\r\n'),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    ]),
  );
  return {
    payload: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}
