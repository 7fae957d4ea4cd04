package verify

import "sync"

// boundedCache stores at most `size` entries and always keeps the half that was used last.
type boundedCache[T any] struct {
	mutex      sync.Mutex
	half       int
	young, old map[string]T
}

func newCache[T any](size int) *boundedCache[T] {
	half := size / 2
	if half < 1 {
		half = 1
	}
	return &boundedCache[T]{half: half, young: map[string]T{}, old: map[string]T{}}
}

func (c *boundedCache[T]) get(key string) (T, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	value, found := c.young[key]
	if !found {
		if value, found = c.old[key]; found {
			c.put(key, value)
		}
	}
	return value, found
}

func (c *boundedCache[T]) set(key string, value T) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.put(key, value)
}

func (c *boundedCache[T]) put(key string, value T) {
	if _, found := c.young[key]; !found && len(c.young) >= c.half {
		c.old, c.young = c.young, map[string]T{}
	}
	c.young[key] = value
}

func (c *boundedCache[T]) delete(key string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.young, key)
	delete(c.old, key)
}
