package verify

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	feedEvery = 2 * time.Second
	// The feed of the service is at most 2 seconds old. With 3 seconds from the start of a poll, a revocation takes
	// effect within 5.
	feedMaxAge     = 3 * time.Second
	feedFirstRetry = 250 * time.Millisecond
	// The maximum time from generated_at to Date, both by the clock of the service.
	maxSendDelay = 2 * time.Second
	// Longer cursors exceed the URL limits of some servers and proxies.
	maxCursorLength = 2_000
	// Size limits: of the document without entries, and of one entry (twice its usual size).
	documentBytes, entryBytes = 64 * 1024, 320
	never                     = time.Duration(math.MaxInt64)
)

// feed polls the revoked sessions and changes of roles.
type feed struct {
	polled
	url      string
	refuses  bool
	onState  func(lost bool, cause error)
	maxBytes int64
	document document

	// With the lock `mutex`.
	revoked  revokedSessions
	stale    staleTokens
	lastGood *moment
	failures int
	failure  error
	isLost   bool
	isClosed bool

	// Used only during a poll. All entries up to this cursor are known. Empty before the first feed.
	cursor string
	// Whether a response had `refreshes`. From then on the cursor is always of a replica that sends them.
	hasRefreshes bool
}

func newFeed(url string, fetch fetcher, clock clock, limit int, refuses bool, onState func(bool, error)) *feed {
	f := &feed{
		polled:   polled{clock: clock, due: never},
		url:      url,
		refuses:  refuses,
		onState:  onState,
		maxBytes: documentBytes + entryBytes*int64(limit),
		revoked:  revokedSessions{entries: entries{limit, map[string]entry{}}},
		stale:    staleTokens{entries{limit, map[string]entry{}}},
	}
	f.request = f.poll
	f.document = document{fetch: fetch, check: requireUncached, take: f.take}
	return f
}

var errFeedUnreachable = fail(ServiceUnreachable, "the list of revoked sessions cannot be read at the moment")

// isFresh returns whether the last poll is recent enough to accept tokens.
func (f *feed) isFresh() bool {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	return f.lastGood != nil && f.clock.age(*f.lastGood) <= feedMaxAge && !f.isClosed
}

func (f *feed) failed() bool {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	return f.failures > 0
}

// freshen polls if the last poll is too old. It returns an error if all tokens must be refused.
func (f *feed) freshen() error {
	// After a failure callers do not wait: a retry is scheduled.
	if !f.isFresh() && !f.failed() {
		f.requesting.Lock()
		if !f.failed() {
			f.pollTwice()
		}
		f.requesting.Unlock()
	}
	f.mutex.RLock()
	isClosed := f.isClosed
	f.mutex.RUnlock()
	if f.refuses || isClosed {
		return f.requireFresh()
	}
	return nil
}

func (f *feed) requireFresh() error {
	if f.isFresh() {
		return nil
	}
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	return errFeedUnreachable.causedBy(f.failure)
}

func (f *feed) ready() error {
	f.requesting.Lock()
	defer f.requesting.Unlock()
	f.pollTwice()
	return f.requireFresh()
}

// require returns an error if the session of the token was revoked or, with role keys, if the token is stale.
func (f *feed) require(token *readToken, roleKeys []string) error {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	if err := f.revoked.require(token); err != nil {
		return err
	}
	if f.stale.isStale(roleKeys, token.permsAt) {
		return fail(TokenStale, "roles have changed: refresh the session")
	}
	return nil
}

func (f *feed) close() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.isClosed = true
}

// pollTwice polls again if the first poll took too long: the feed was large, or the machine slept meanwhile.
func (f *feed) pollTwice() {
	if !f.isFresh() {
		f.poll()
	}
	if !f.isFresh() && !f.failed() {
		f.poll()
	}
}

// poll requires the lock `requesting`.
func (f *feed) poll() {
	start := f.clock()
	address := f.url
	if f.cursor != "" {
		address += "?after=" + url.QueryEscape(f.cursor)
	}
	asked := request{url: address, maxBytes: f.maxBytes, timeout: 15 * time.Second, idleTimeout: 2 * time.Second}
	err := f.document.update(asked)
	f.mutex.Lock()
	f.failure = err
	now := f.clock().steady
	if err == nil {
		f.lastGood, f.failures = &start, 0
		// A slow poll is followed immediately by the next one.
		f.due = start.steady + feedEvery
		if f.due < now {
			f.due = now
		}
	} else {
		f.failures++
		f.due = now + retryDelay(f.failures)
	}
	f.mutex.Unlock()
	f.report(err)
}

// retryDelay grows with each failure.
func retryDelay(failures int) time.Duration {
	delay := feedFirstRetry
	for ; failures > 1 && delay < feedEvery; failures-- {
		delay *= 2
	}
	return delay
}

func (f *feed) report(cause error) {
	isLost := !f.isFresh()
	if isLost == f.isLost || (isLost && !f.failed()) {
		return
	}
	f.isLost = isLost
	f.onState(isLost, cause)
}

func (f *feed) take(body any, got *answer) error {
	asked := f.cursor
	// If merging fails, the next poll requests the full feed.
	f.cursor = ""
	feed := membersOf(body)
	if err := requireRecent(feed, got); err != nil {
		return err
	}
	isPartial := feed["partial"] == true
	if isPartial && asked == "" {
		return errors.New("the feed is partial, but the full feed was requested")
	}
	// Nil for the feed of an older service.
	var refreshes []entry
	if _, found := feed["refreshes"]; found {
		var err error
		if refreshes, err = readEntries(feed, "refreshes", readRefresh); err != nil {
			return err
		}
	}
	isFirst := refreshes != nil && !f.hasRefreshes
	f.hasRefreshes = f.hasRefreshes || isFirst
	if isFirst && isPartial {
		// The cursor was of an older replica, which did not send the refreshes up to it.
		return errors.New("the feed is partial, but earlier feeds had no refreshes")
	}
	revocations, err := readEntries(feed, "revocations", readRevocation)
	if err != nil {
		return err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	past := f.revoked.merge(revocations, feed["generated_at"], f.clock().wall)
	f.stale.merge(refreshes, past)
	f.cursor = asked
	if next, ok := feed["cursor"].(string); ok && len(next) <= maxCursorLength && (refreshes != nil || !f.hasRefreshes) {
		f.cursor = next
	}
	return nil
}

// requireUncached returns an error if a cache sent the response. An Age that is not a number counts as old.
func requireUncached(got *answer) error {
	text, found := got.header("Age")
	if !found {
		return nil
	}
	if age, err := strconv.ParseFloat(text, 64); err != nil || !(age < 1) {
		return errors.New("the feed comes from a cache")
	}
	return nil
}

func requireRecent(feed members, got *answer) error {
	text, found := got.header("Date")
	if !found {
		return nil
	}
	made, isMade := timeOf(feed["generated_at"])
	sent, err := http.ParseTime(text)
	if err != nil || !isMade || sent.Sub(made) > maxSendDelay {
		return errors.New("the feed is outdated: generated_at is too long before Date")
	}
	return nil
}
