package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/retrosweep/retrosweep/internal/llm"
)

// Questions are named by their place in the batch.
const place = "q"

// Submit uploads the questions and begins a batch.
func (g *generator) Submit(ctx context.Context, reqs []llm.Request) (string, error) {
	upload := api.CreateBatchWithUploadFileRequest{Endpoint: api.BatchEndpointChatCompletions, CompletionWindow: "24h"}
	upload.FileName = "questions.jsonl"
	for i, req := range reqs {
		upload.AddChatCompletion(place+strconv.Itoa(i), g.wire(req))
	}
	var id string
	err := g.once(ctx, func(call context.Context) error {
		b, err := g.client.CreateBatchWithUploadFile(call, upload)
		id = b.ID
		return err
	})
	if err == nil && !plainID.MatchString(id) {
		err = &llm.CallError{Kind: llm.ErrUnavailable, Endpoint: g.info.Endpoint, Detail: "a batch without a name", Billed: true, Check: "that the endpoint takes batches (stages.triage.batch)"}
	}
	return id, err
}

// plainID is a name that may stand in a URL.
var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)

// Look asks how a batch stands, and for its answers once it ended.
func (g *generator) Look(ctx context.Context, id string) (llm.Standing, error) {
	var b api.BatchResponse
	err := g.once(ctx, func(call context.Context) (err error) {
		b, err = g.client.RetrieveBatch(call, id)
		return err
	})
	if err != nil {
		return llm.Standing{}, err
	}
	s := llm.Standing{Ended: slices.Contains([]string{"completed", "failed", "expired", "cancelled"}, b.Status)}
	if !s.Ended {
		return s, nil
	}
	if s.Failed = b.Status == "failed"; b.Status != "completed" {
		s.Why = g.clean(reason(b))
	}
	s.Answers = map[int]llm.Answered{}
	files := []string{b.InputFileID}
	for _, file := range []*string{b.OutputFileID, b.ErrorFileID} {
		if file == nil || *file == "" {
			continue
		}
		if err := g.collect(ctx, *file, s.Answers); err != nil {
			return llm.Standing{}, err
		}
		files = append(files, *file)
	}
	g.tidy(ctx, files)
	return s, nil
}

// tidy takes back what was uploaded and what came of it: it is text of the
// repository. A file that stays is the endpoint's to forget.
func (g *generator) tidy(ctx context.Context, files []string) {
	for _, file := range files {
		if plainID.MatchString(file) {
			_ = g.once(ctx, func(call context.Context) error { return g.client.DeleteFile(call, file) })
		}
	}
}

func reason(b api.BatchResponse) string {
	why := b.Status
	if b.Errors != nil {
		for _, e := range b.Errors.Data {
			why += ": " + e.Message
		}
	}
	return why
}

// Cancel asks for an end. A batch that has ended already is no fault.
func (g *generator) Cancel(ctx context.Context, id string) error {
	err := g.once(ctx, func(call context.Context) error {
		_, err := g.client.CancelBatch(call, id)
		return err
	})
	var failed *llm.CallError
	if errors.As(err, &failed) && (failed.Status == 400 || failed.Status == 409) {
		return nil
	}
	return err
}

// once makes one call with its own end, and sorts what goes wrong.
func (g *generator) once(ctx context.Context, call func(context.Context) error) error {
	seen := &observed{}
	limited, cancel := context.WithTimeout(withObserved(ctx, seen), g.timeout)
	defer cancel()
	if err := call(limited); err != nil {
		return g.failure(ctx, seen, err)
	}
	return nil
}

// collect reads one file of answers. A line that cannot be read is no answer.
func (g *generator) collect(ctx context.Context, file string, into map[int]llm.Answered) error {
	if !plainID.MatchString(file) {
		return &llm.CallError{Kind: llm.ErrUnavailable, Endpoint: g.info.Endpoint, Detail: "a file without a name"}
	}
	var raw []byte
	err := g.once(ctx, func(call context.Context) error {
		content, err := g.client.GetFileContent(call, file)
		if err != nil {
			return err
		}
		defer content.Close()
		raw, err = io.ReadAll(content)
		return err
	})
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, maxBody)
	for lines.Scan() {
		if n, a, ok := g.answer(lines.Bytes()); ok {
			if _, twice := into[n]; !twice {
				into[n] = a
			}
		}
	}
	return nil
}

// answer reads one line of a file of answers.
func (g *generator) answer(line []byte) (n int, a llm.Answered, ok bool) {
	var l struct {
		CustomID string `json:"custom_id"`
		Response *struct {
			Status int             `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"`
		Error *struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(line, &l) != nil {
		return 0, a, false
	}
	n, err := strconv.Atoi(strings.TrimPrefix(l.CustomID, place))
	if err != nil || n < 0 || l.CustomID != place+strconv.Itoa(n) {
		return 0, a, false
	}
	switch {
	case l.Error != nil:
		a.Err = g.unanswered(l.Error.Code + ": " + l.Error.Message)
	case l.Response == nil:
		a.Err = g.unanswered("no response")
	case l.Response.Status != 200:
		a.Err = g.unanswered(fmt.Sprintf("%d: %s", l.Response.Status, l.Response.Body))
	default:
		a.Response, a.Err = g.completion(l.Response.Body)
	}
	return n, a, true
}

func (g *generator) completion(body []byte) (llm.Response, error) {
	var c api.ChatCompletionResponse
	if err := json.Unmarshal(body, &c); err != nil || len(c.Choices) == 0 {
		return llm.Response{}, g.unanswered("an answer that is not a chat completion")
	}
	return response(c, &observed{}), nil
}

// unanswered is one question of many: the endpoint serves us.
func (g *generator) unanswered(why string) error {
	if strings.HasPrefix(why, "batch_expired") || strings.HasPrefix(why, "batch_cancelled") {
		return llm.ErrLate
	}
	return &llm.CallError{Kind: llm.ErrRefused, Endpoint: g.info.Endpoint, Detail: g.clean(why)}
}

func (g *generator) clean(text string) string { return llm.OneLine(g.scrub(text), 300) }
