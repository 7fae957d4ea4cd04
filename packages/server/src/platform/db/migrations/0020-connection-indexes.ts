/** For ending the sessions and grants of a connection. */
export const connectionIndexes = {
  version: 20,
  name: 'connection-indexes',
  indexes: [
    {
      name: 'sessions_connection_idx',
      on: 'sessions (connection_id, id) where connection_id is not null and revoked_at is null',
    },
  ],
};
