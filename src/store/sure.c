/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commits whose error says that nothing happened. COMMIT may fail at its very last sync, of the journal that was just
 * truncated: then the file has what was written, and only its durability is unknown, for the old journal could come back
 * with a power cut. Another transaction that succeeds writes over that journal, and with it the first is durable too. If
 * anything before failed, the file is as it was.
 *
 * Which of the two it is, the token's row tells, for what is sealed in it is of one transaction only. So whoever commits
 * here has written it. If another process has written it since, it tells no more: then the error stands, and what was asked for may be there.
 */
#include "store/head.h"
#include "store/inside.h"

/* s->lock is let go of while another process has its turn. */
static enum err begin_again_locked(struct store *s)
{
	enum err e = txn_begin_locked(s, true);

	for (unsigned tries = 0; e == E_BUSY; tries++) {
		bool more;

		lock_drop(&s->lock);
		more = db_wait(tries);
		lock_take(&s->lock);
		if (!more)
			break;
		e = txn_begin_locked(s, true);
	}
	return e;
}

static enum err look_again_locked(struct store *s, const struct head *mine, enum err failed)
{
	struct head now;
	enum err e = begin_again_locked(s);

	if (e == OK)
		e = head_get(&s->db, &now);
	if (e == OK && head_same(&now, mine) && head_set(&s->db, &now) == OK)
		return txn_commit_locked(s);
	atomic_store(&s->committing, false);
	db_rollback(&s->db);
	return failed;
}

enum err sure_commit_locked(struct store *s)
{
	struct head mine;
	enum err e = head_get(&s->db, &mine);

	if (e != OK) {
		atomic_store(&s->committing, false);
		db_rollback(&s->db);
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
