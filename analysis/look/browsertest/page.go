package browsertest

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"sync"
	"time"
)

// A Page is a window.
type Page struct {
	b       *Browser
	session string

	mu       sync.Mutex
	troubles []string // what it wrote on the console, exceptions, refused loads
	requests []string // addresses it asked for
}

// Open opens an address in a window of that width, in light or dark colours.
func (b *Browser) Open(address string, width int, scheme string) *Page {
	b.t.Helper()
	var target struct {
		ID string `json:"targetId"`
	}
	b.ask("", "Target.createTarget", map[string]any{"url": "about:blank", "newWindow": true}, &target)
	var attached struct {
		Session string `json:"sessionId"`
	}
	b.ask("", "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached)
	p := &Page{b: b, session: attached.Session}
	b.mu.Lock()
	b.pages[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Runtime", "Log", "Network", "Page"} {
		p.ask(domain+".enable", nil, nil)
	}
	p.ask("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	p.ask("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	p.ask("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil) // seen, though others lie on top
	p.ask("Page.navigate", map[string]any{"url": address}, nil)
	p.Await(`document.readyState === "complete" && location.protocol !== "about:"`)
	return p
}

func (p *Page) ask(method string, params, result any) {
	p.b.t.Helper()
	p.b.ask(p.session, method, params, result)
}

func (p *Page) heard(method string, params json.RawMessage) {
	var told struct {
		Type  string `json:"type"` // of console calls
		Entry struct {
			Level, Text, URL string
		} `json:"entry"`
		Exception struct {
			Text      string
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
		Request struct{ URL string } `json:"request"`
	}
	if json.Unmarshal(params, &told) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch method {
	case "Runtime.consoleAPICalled":
		p.troubles = append(p.troubles, "console "+told.Type+": "+string(params))
	case "Runtime.exceptionThrown":
		p.troubles = append(p.troubles, told.Exception.Text+" "+told.Exception.Exception.Description)
	case "Log.entryAdded":
		p.troubles = append(p.troubles, told.Entry.Level+": "+told.Entry.Text+" "+told.Entry.URL)
	case "Network.requestWillBeSent":
		p.requests = append(p.requests, told.Request.URL)
	}
}

// Troubles are console messages, exceptions and refused loads so far.
func (p *Page) Troubles() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.troubles...)
}

// Requests are the addresses asked for so far.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}

// Evaluate is the value of an expression in the page, as text; a promise is waited for.
func (p *Page) Evaluate(expression string) string {
	p.b.t.Helper()
	var told struct {
		Result    struct{ Value any }
		Exception *struct {
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
	}
	p.ask("Runtime.evaluate", map[string]any{"expression": "Promise.resolve(" + expression + ").then(String)", "awaitPromise": true, "returnByValue": true, "userGesture": true}, &told)
	if told.Exception != nil {
		p.b.t.Fatalf("%s: %s", expression, told.Exception.Exception.Description)
	}
	text, _ := told.Result.Value.(string)
	return text
}

// Await waits until an expression is true. One that throws is not true yet: a page
// that is being left, or is half there, lacks what it asks for.
func (p *Page) Await(expression string) {
	p.b.t.Helper()
	expression = "(() => { try { return " + expression + " } catch { return false } })()"
	for deadline := time.Now().Add(budget); p.Evaluate(expression) != "true"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.b.t.Fatalf("never true: %s\ntroubles %q\n%s", expression, p.Troubles(), p.Evaluate("document.body.innerText"))
		}
	}
}

// Press types one key, such as Tab or Enter, where the focus is.
func (p *Page) Press(key string) {
	p.b.t.Helper()
	text := map[string]string{"Enter": "\r"}[key]
	for _, kind := range []string{"keyDown", "keyUp"} {
		params := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": map[string]int{"Enter": 13, "Tab": 9, "Escape": 27}[key]}
		if text != "" && kind == "keyDown" {
			params["text"] = text
		}
		p.ask("Input.dispatchKeyEvent", params, nil)
	}
}

// Picture writes the whole page as PNG, for people to look at.
func (p *Page) Picture(path string) {
	p.b.t.Helper()
	var shot struct{ Data string }
	p.ask("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		p.b.t.Fatal(err)
	}
}
