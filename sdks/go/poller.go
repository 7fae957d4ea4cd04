package verify

import (
	"sync"
	"time"
)

// polled is the key set or the feed: a component that sends requests at intervals.
type polled interface {
	// nextDue returns when the next request is due, by the monotonic clock; `never` before the first request.
	nextDue() time.Duration
	runDue()
}

// poller sends the requests of one component when they are due, in a goroutine of its own.
type poller struct {
	part  polled
	clock clock
	wakes chan struct{}

	mutex      sync.Mutex
	waitsUntil time.Duration
}

func newPoller(part polled, clock clock) *poller {
	return &poller{part: part, clock: clock, wakes: make(chan struct{}, 1), waitsUntil: never}
}

// wake is called after a caller may have sent a request, which changes when the next one is due.
func (p *poller) wake() {
	p.mutex.Lock()
	isEarlier := p.part.nextDue() < p.waitsUntil
	p.mutex.Unlock()
	if !isEarlier {
		return
	}
	select {
	case p.wakes <- struct{}{}:
	default:
	}
}

func (p *poller) run(closed <-chan struct{}) {
	for {
		due := p.part.nextDue()
		p.mutex.Lock()
		p.waitsUntil = due
		p.mutex.Unlock()
		wait := due - p.clock().steady
		if due == never {
			wait = time.Hour
		}
		timer := time.NewTimer(wait)
		select {
		case <-closed:
			timer.Stop()
			return
		case <-p.wakes:
			timer.Stop()
		case <-timer.C:
		}
		p.part.runDue()
	}
}
