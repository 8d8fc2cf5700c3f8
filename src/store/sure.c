/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commits whose error says that nothing happened. COMMIT may fail at its very last sync, of the journal that was just
 * truncated: then the file has what was written, and only its durability is unknown, for the old journal could come back
 * with a power cut. Another transaction that succeeds writes over that journal, and with it the first is durable too. If
 * anything before failed, the file is as it was.
 *
 * Which of the two it is, the token's row tells, for what is sealed in it is of one transaction only. So whoever commits
 * here has written it.
 */
#include "store/head.h"
#include "store/inside.h"

static enum err look_again_locked(struct store *s, const struct head *mine, enum err failed)
{
	struct head now;
	enum err e = txn_begin_locked(s, true);

	if (e == OK)
		e = head_get(&s->db, &now);
	if (e == OK && head_same(&now, mine) && head_set(&s->db, &now) == OK)
		return txn_commit_locked(s);
	db_rollback(&s->db);
	atomic_store(&s->committing, false);
	return failed;
}

enum err sure_commit_locked(struct store *s)
{
	struct head mine;
	enum err e = head_get(&s->db, &mine);

	if (e != OK) {
		db_rollback(&s->db);
		atomic_store(&s->committing, false);
		return e;
	}
	e = txn_commit_locked(s);
	if (e == OK || e == E_BUSY || e == E_DEVICE_REMOVED)
		return e;
	return look_again_locked(s, &mine, e);
}

enum err sure_commit(struct store *s)
{
	enum err e = sure_commit_locked(s);

	lock_drop(&s->lock);
	return e;
}
